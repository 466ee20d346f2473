/** Milliseconds of CPU, of the best of some runs: what others do on the machine does not count. */
function cpuMsOf(run: () => unknown): number {
  let best = Infinity;
  for (let round = 0; round < 3; round++) {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1_000);
  }
  return best;
}

/** An input that is eight times as large. */
const factor = 8;
/** Below this a measurement says nothing. */
const leastMs = 4;
/** What is so quick at this size is not quadratic; much larger texts measure the memory, or are longer than any may be. */
const largestFrom = 500_000;

/**
 * How work grows with its input: 1 in proportion to it, 2 with its square.
 * @param run is given inputs that are made large enough to be measured.
 * @param enough what is less is not measured again.
 */
export function growthOf<Input>(
  make: (size: number) => Input,
  run: (input: Input) => unknown,
  size: number,
  enough = 1.3,
): number {
  let from = size;
  let small = make(from);
  // Warm: code that runs for the first time is compiled meanwhile.
  cpuMsOf(() => run(small));
  while (cpuMsOf(() => run(small)) < leastMs && from < largestFrom) small = make((from *= 2));
  const large = make(from * factor);
  const tookMs = (input: Input): number =>
    Math.max(
      leastMs,
      cpuMsOf(() => run(input)),
    );
  const measure = (): number => Math.log(tookMs(large) / tookMs(small)) / Math.log(factor);
  // The least of three: a busy machine makes one of them larger, never smaller work of what grows with the square.
  let least = measure();
  for (let again = 0; again < 2 && least >= enough; again++) least = Math.min(least, measure());
  return least;
}
