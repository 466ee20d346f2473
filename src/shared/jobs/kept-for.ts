/** Of a result that is not to be stored, and that its answer did not carry: it may be asked for by its id this long. */
const unstoredMs = 10 * 60_000;
/** Of what such a result is made of: until the last of its children has ended. */
const unstoredChildMs = 2 * 3_600_000;

/** Whether the request said `store: false`. */
export const isUnstored = (input: unknown): boolean =>
  typeof input === 'object' && input !== null && 'store' in input && input.store === false;

/** How long after its end the result of a job is kept. */
export function keptForMs(row: { input: unknown; parent_id?: string | null }, resultTtlMs: number): number {
  if (!isUnstored(row.input)) return resultTtlMs;
  return Math.min(resultTtlMs, row.parent_id == null ? unstoredMs : unstoredChildMs);
}
