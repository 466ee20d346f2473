import { AppError } from '../shared/errors.ts';

/** Of one caller in one process. */
const mostRunning = 8;
const mostWaiting = 1_000;

/** Whose place in line it is: a key that has leaked must not keep its owner out. */
export const laneOf = ({ userId, keyId }: { userId: string; keyId?: string | null }): string =>
  keyId ? `key:${keyId}` : `session:${userId}`;

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
   * @throws AppError `overloaded` where too much of the caller's waits, the reason of `gone` where the client went
   * before its turn, and what `work` throws.
   */
  run<T>(lane: string, gone: AbortSignal, work: (turn: Turn) => Promise<T>): Promise<T>;
}

interface Lane {
  running: number;
  /** They have begun, and go first. */
  returning: Set<() => void>;
  waiting: Set<() => void>;
}

const firstOf = <T>(set: Set<T>): T | undefined => set.values().next().value;

export function createUserGate(): UserGate {
  const lanes = new Map<string, Lane>();

  function enter(name: string): Lane {
    const lane = lanes.get(name) ?? { running: 0, returning: new Set(), waiting: new Set() };
    lanes.set(name, lane);
    return lane;
  }

  async function begin(name: string, gone: AbortSignal): Promise<void> {
    gone.throwIfAborted();
    const lane = enter(name);
    if (lane.running < mostRunning) {
      lane.running++;
      return;
    }
    if (lane.waiting.size >= mostWaiting) {
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
        lane.waiting.delete(go);
        reject(gone.reason as Error);
      };
      lane.waiting.add(go);
      gone.addEventListener('abort', leaveLine, { once: true });
    });
  }

  async function goOn(name: string): Promise<void> {
    const lane = enter(name);
    if (lane.running < mostRunning) lane.running++;
    else await new Promise<void>((resolve) => lane.returning.add(resolve));
  }

  function leave(name: string): void {
    const lane = lanes.get(name);
    if (lane === undefined) return;
    const next = firstOf(lane.returning) ?? firstOf(lane.waiting);
    if (next === undefined) {
      if (--lane.running === 0) lanes.delete(name);
      return;
    }
    lane.returning.delete(next);
    lane.waiting.delete(next);
    // The next one takes over this place.
    next();
  }

  return {
    async run(lane, gone, work) {
      await begin(lane, gone);
      let pauses = 0;
      try {
        return await work({
          async pause(wait) {
            if (pauses++ === 0) leave(lane);
            try {
              return await wait();
            } finally {
              if (--pauses === 0) await goOn(lane);
            }
          },
        });
      } finally {
        leave(lane);
      }
    },
  };
}
