/** Milliseconds of CPU: what others do on the machine hardly counts. */
function cpuMsOnce(run: () => unknown): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** The best of some runs. */
const cpuMsOf = (run: () => unknown): number => Math.min(...[1, 2, 3].map(() => cpuMsOnce(run)));

/** An input that is eight times as large. */
const factor = 8;
/** Below this a measurement says nothing. */
const leastMs = 4;
/** What takes as long is measured well enough. */
const longMs = 20;
/** How often the large input is run at most. */
const mostRuns = 9;
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
  // Warm: code that runs for the first time is compiled meanwhile. What takes so long even then need not be larger.
  let smallMs = cpuMsOf(() => run(small));
  if (smallMs < longMs) smallMs = cpuMsOf(() => run(small));
  while (smallMs < leastMs && from < largestFrom) {
    small = make((from *= 2));
    smallMs = cpuMsOf(() => run(small));
  }
  const large = make(from * factor);
  let largeMs = Infinity;
  let growth = Infinity;
  // A busy machine makes one run larger, never smaller work of what grows with the square.
  for (let runs = 0; runs < mostRuns && growth >= enough; runs++) {
    largeMs = Math.min(
      largeMs,
      cpuMsOnce(() => run(large)),
    );
    // Anew, and the best of all: by now the code is as quick as it becomes.
    smallMs = Math.min(
      smallMs,
      cpuMsOf(() => run(small)),
    );
    growth = Math.log(Math.max(leastMs, largeMs) / Math.max(leastMs, smallMs)) / Math.log(factor);
  }
  return growth;
}
