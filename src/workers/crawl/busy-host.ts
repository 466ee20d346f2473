import { setTimeout as sleep } from 'node:timers/promises';
import { readRetryAfter } from '../../shared/egress/retry-after.ts';
import type { EgressLease, EgressRequest, EgressResponse } from '../../shared/egress/types.ts';

const retries = 2;
const longestPauseMs = 20_000;
const busy = new Set([429, 503]);

/**
 * How long to leave a host alone before it is asked again.
 * @param attempt from 0 on.
 * @returns null where its answer stands.
 */
function pauseBeforeRetry(
  { status, retryAfterMs }: { status: number | null; retryAfterMs?: number | null },
  attempt: number,
): number | null {
  if (!busy.has(status ?? 0) || attempt >= retries) return null;
  const pauseMs = retryAfterMs || 1_000 * 2 ** attempt;
  return pauseMs > longestPauseMs ? null : pauseMs;
}

/** How long pauses may take in all; those that go on side by side count once. */
export class PauseBudget {
  #leftMs: number;
  #pausesUntil = 0;

  constructor(ms: number) {
    this.#leftMs = ms;
  }

  /** @returns false where there is no time for a pause that begins now. */
  take(pauseMs: number): boolean {
    const now = performance.now();
    const moreMs = now + pauseMs - Math.max(now, this.#pausesUntil);
    if (moreMs <= 0) return true;
    if (moreMs > this.#leftMs) return false;
    this.#leftMs -= moreMs;
    this.#pausesUntil = now + pauseMs;
    return true;
  }
}

/** Asks again where the server says that it is busy, and there is time for that. */
export async function askWithRetries(
  lease: Pick<EgressLease, 'fetch'>,
  request: EgressRequest,
  pauses?: PauseBudget,
): Promise<EgressResponse> {
  for (let attempt = 0; ; attempt++) {
    const response = await lease.fetch(request);
    const { status, headers } = response;
    const pauseMs = pauseBeforeRetry(
      { status, retryAfterMs: readRetryAfter(headers['retry-after']) },
      attempt,
    );
    if (pauseMs === null || pauses?.take(pauseMs) === false) return response;
    await sleep(pauseMs, undefined, { signal: request.signal });
  }
}
