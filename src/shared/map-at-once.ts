/**
 * Runs `fn` over all, so many at a time, in order.
 * @throws the first failure: nothing is begun after it, and what is under way has ended, so that nothing of it is lost.
 */
export async function mapAtOnce<T, R>(
  items: readonly T[],
  atOnce: number,
  fn: (item: T, at: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const failures: unknown[] = [];
  let next = 0;
  async function work(): Promise<void> {
    for (let at = next++; at < items.length; at = next++) {
      try {
        results[at] = await fn(items[at] as T, at);
      } catch (error) {
        next = items.length;
        failures.push(error);
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work));
  if (failures.length > 0) throw failures[0];
  return results;
}
