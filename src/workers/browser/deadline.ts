/**
 * Waits for `work`, `timeoutMs` at most; then answers `fallback`. What is late goes on unheard: a command to a page whose
 * script never ends gets no answer, and only closing the page's context frees it.
 */
export async function orAfter<T, F>(work: Promise<T>, timeoutMs: number, fallback: F): Promise<T | F> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<F>((resolve) => {
    timer = setTimeout(() => resolve(fallback), Math.max(0, timeoutMs));
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

const isLate = Symbol('late');

/** As `orAfter`. @throws what `late` makes, at the deadline. */
export async function withDeadline<T>(work: Promise<T>, timeoutMs: number, late: () => Error): Promise<T> {
  const answer = await orAfter<T, typeof isLate>(work, timeoutMs, isLate);
  if (answer === isLate) throw late();
  return answer;
}
