import { AppError } from '../shared/errors.ts';

/** Of one user in one process. */
const mostRunning = 8;
const mostWaiting = 1_000;

/** What has begun of a user's work. */
export interface Turn {
  /** Lets others of the user go on while something is only waited for. */
  readonly pause: <T>(wait: () => Promise<T>) => Promise<T>;
}

/** What costs no use: of one user only so much is worked on at a time, so that nobody's requests are behind thousands of another's. */
export interface UserGate {
  /** @throws AppError `overloaded` where too much of the user's waits, and what `work` throws. */
  run<T>(userId: string, work: (turn: Turn) => Promise<T>): Promise<T>;
}

interface Lane {
  running: number;
  waiting: (() => void)[];
}

export function createUserGate(): UserGate {
  const lanes = new Map<string, Lane>();

  async function enter(userId: string): Promise<void> {
    const lane = lanes.get(userId) ?? { running: 0, waiting: [] };
    lanes.set(userId, lane);
    if (lane.running < mostRunning) lane.running++;
    else await new Promise<void>((resolve) => lane.waiting.push(resolve));
  }

  function leave(userId: string): void {
    const lane = lanes.get(userId);
    if (lane === undefined) return;
    const next = lane.waiting.shift();
    // The next one takes over this place.
    if (next !== undefined) next();
    else if (--lane.running === 0) lanes.delete(userId);
  }

  return {
    async run(userId, work) {
      if ((lanes.get(userId)?.waiting.length ?? 0) >= mostWaiting) {
        throw new AppError(
          'overloaded',
          `${mostWaiting} requests of yours wait here already. Send fewer at a time.`,
          { retryAfterSeconds: 1 },
        );
      }
      await enter(userId);
      try {
        return await work({
          async pause(wait) {
            leave(userId);
            try {
              return await wait();
            } finally {
              await enter(userId);
            }
          },
        });
      } finally {
        leave(userId);
      }
    },
  };
}
