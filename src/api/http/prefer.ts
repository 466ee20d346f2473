import { AppError } from '../../shared/errors.ts';

const longestWaitSeconds = 110;

export interface WaitPreference {
  waitMs: number;
  /** For the Preference-Applied header; null when none was asked. */
  applied: string | null;
}

/**
 * RFC 7240: `respond-async` and `wait=N` (seconds, 0 to 110); both are a 202 after that time.
 * @throws AppError `invalid_request` where `wait` is out of its bounds.
 */
export function readPrefer(header: string, defaultWaitMs: number): WaitPreference {
  if (header === '') return { waitMs: defaultWaitMs, applied: null };
  const preferences = header.split(',').map((part) => part.trim().split(';')[0]?.trim().toLowerCase() ?? '');
  const isAsync = preferences.includes('respond-async');
  const wait = preferences
    .map((preference) =>
      /^wait\s*=([^]*)$/
        .exec(preference)?.[1]
        ?.trim()
        .replace(/^"([^"]*)"$/, '$1'),
    )
    .find((text) => text !== undefined);
  if (wait === undefined)
    return isAsync ? { waitMs: 0, applied: 'respond-async' } : { waitMs: defaultWaitMs, applied: null };
  if (!/^\d{1,6}$/.test(wait) || Number(wait) > longestWaitSeconds) {
    throw new AppError(
      'invalid_request',
      `Prefer: wait=${wait.slice(0, 20)} is not possible. Give whole seconds from 0 to ${longestWaitSeconds}.`,
    );
  }
  const applied = `${isAsync ? 'respond-async, ' : ''}wait=${Number(wait)}`;
  return { waitMs: Number(wait) * 1_000, applied };
}
