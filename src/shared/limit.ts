/** Work of which only so much runs at a time; the rest waits in the order in which it came. */
export interface Limit {
  run<T>(work: () => Promise<T>): Promise<T>;
  readonly waiting: number;
}

export function createLimit(atOnce: number): Limit {
  const line: (() => void)[] = [];
  let running = 0;
  return {
    async run(work) {
      if (running < atOnce) running++;
      else await new Promise<void>((resolve) => line.push(resolve));
      try {
        return await work();
      } finally {
        const next = line.shift();
        // Who is next takes over this place.
        if (next === undefined) running--;
        else next();
      }
    },
    get waiting() {
      return line.length;
    },
  };
}
