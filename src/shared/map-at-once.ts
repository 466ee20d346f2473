/** Runs `fn` over all, so many at a time, in order. */
export async function mapAtOnce<T, R>(
  items: readonly T[],
  atOnce: number,
  fn: (item: T, at: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  async function work(): Promise<void> {
    for (let at = next++; at < items.length; at = next++) results[at] = await fn(items[at] as T, at);
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work));
  return results;
}
