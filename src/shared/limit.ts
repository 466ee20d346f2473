import { createFairQueue } from './tasks/fair-queue.ts';

/** Work of which only so much runs at a time; the owners of the rest take turns. */
export interface Limit {
  run<T>(owner: string, work: () => Promise<T>): Promise<T>;
  waitingOf(owner: string): number;
}

export function createLimit(atOnce: number): Limit {
  const queue = createFairQueue<() => void>();
  const anybody = () => true;
  let running = 0;
  return {
    async run(owner, work) {
      if (running < atOnce) running++;
      else await new Promise<void>((resolve) => queue.push(owner, resolve));
      try {
        return await work();
      } finally {
        const next = queue.take(anybody);
        // The next one takes over this slot.
        if (next === undefined) running--;
        else next();
      }
    },
    waitingOf: (owner) => queue.sizeOf(owner),
  };
}
