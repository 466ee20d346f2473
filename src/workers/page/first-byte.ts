import { defaultTimeoutMs } from '../../shared/schemas/page-options.ts';

const silentMs = 10_000;

/**
 * How long a target may take to begin its answer: all of the time that a client gives. Who gives none, and so has the
 * default, learns sooner of a target that never answers.
 * @param timeoutMs of the whole page.
 */
export function firstByteMsOf(timeoutMs: number): number {
  return timeoutMs === defaultTimeoutMs ? silentMs : timeoutMs;
}
