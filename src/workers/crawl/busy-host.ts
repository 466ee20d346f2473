const retries = 2;
const longestPauseMs = 20_000;
const busy = new Set([429, 503]);

/**
 * How long to leave a host alone before it is asked again.
 * @param attempt from 0 on.
 * @returns null where its answer stands.
 */
export function pauseBeforeRetry(
  { status, retryAfterMs }: { status: number | null; retryAfterMs?: number | null },
  attempt: number,
): number | null {
  if (!busy.has(status ?? 0) || attempt >= retries) return null;
  const pauseMs = retryAfterMs || 1_000 * 2 ** attempt;
  return pauseMs > longestPauseMs ? null : pauseMs;
}
