import { AppError } from '../shared/errors.ts';
import { createFairQueue, type FairQueue } from '../shared/tasks/fair-queue.ts';

/** Of one caller in one process. */
const mostRunning = 8;
/** Of one of the caller's keys. */
const mostWaiting = 1_000;

/** Who asks, and by which of their keys: these take turns, so that one that has leaked does not keep its owner out. */
export interface Lane {
  caller: string;
  by: string;
}

export const laneOf = ({ userId, keyId }: { userId: string; keyId?: string | null }): Lane => ({
  caller: `user:${userId}`,
  by: keyId ?? 'session',
});

/** What has begun of a caller's work. */
export interface Turn {
  /** Lets others of the caller go on while something is only waited for. May be nested. */
  readonly pause: <T>(wait: () => Promise<T>) => Promise<T>;
}

/** The turn of work that waits for nobody. */
export const withoutLine: Turn = { pause: (wait) => wait() };

/** What costs no use: of one caller only so much is worked on at a time, so that nobody's requests are behind thousands of another's. */
export interface UserGate {
  /**
   * @param lane as of `laneOf`.
   * @param gone of the client; who has gone waits no longer.
   * @throws AppError `overloaded` where too much of the lane waits, the reason of `gone` where the client went
   * before its turn, and what `work` throws.
   */
  run<T>(lane: Lane, gone: AbortSignal, work: (turn: Turn) => Promise<T>): Promise<T>;
}

interface Caller {
  running: number;
  /** They have begun, and go first. */
  returning: Set<() => void>;
  /** Its owners are what is asked by. */
  waiting: FairQueue<() => void>;
}

const firstOf = <T>(set: Set<T>): T | undefined => set.values().next().value;

export function createUserGate(): UserGate {
  const callers = new Map<string, Caller>();

  function enter(name: string): Caller {
    const caller = callers.get(name) ?? { running: 0, returning: new Set(), waiting: createFairQueue() };
    callers.set(name, caller);
    return caller;
  }

  async function begin({ caller: name, by }: Lane, gone: AbortSignal): Promise<void> {
    gone.throwIfAborted();
    const caller = enter(name);
    if (caller.running < mostRunning) {
      caller.running++;
      return;
    }
    if (caller.waiting.sizeOf(by) >= mostWaiting) {
      throw new AppError(
        'overloaded',
        'A thousand requests of yours, or of your network, wait here already. Send fewer at a time, or again in a moment.',
        { retryAfterSeconds: 1 },
      );
    }
    await new Promise<void>((resolve, reject) => {
      const go = () => {
        gone.removeEventListener('abort', leaveLine);
        resolve();
      };
      const leaveLine = () => {
        caller.waiting.remove(by, go);
        reject(gone.reason as Error);
      };
      caller.waiting.push(by, go);
      gone.addEventListener('abort', leaveLine, { once: true });
    });
  }

  async function goOn(name: string): Promise<void> {
    const caller = enter(name);
    if (caller.running < mostRunning) caller.running++;
    else await new Promise<void>((resolve) => caller.returning.add(resolve));
  }

  function leave(name: string): void {
    const caller = callers.get(name);
    if (caller === undefined) return;
    const back = firstOf(caller.returning);
    if (back !== undefined) caller.returning.delete(back);
    const next = back ?? caller.waiting.take(() => true);
    // The next one takes over this place.
    if (next !== undefined) next();
    else if (--caller.running === 0) callers.delete(name);
  }

  return {
    async run(lane, gone, work) {
      await begin(lane, gone);
      let pauses = 0;
      try {
        return await work({
          async pause(wait) {
            if (pauses++ === 0) leave(lane.caller);
            try {
              return await wait();
            } finally {
              if (--pauses === 0) await goOn(lane.caller);
            }
          },
        });
      } finally {
        leave(lane.caller);
      }
    },
  };
}
