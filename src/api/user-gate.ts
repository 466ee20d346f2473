import { AppError } from '../shared/errors.ts';

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

/** Of what is asked by one key. */
interface Line {
  /** They have begun, and go first. */
  returning: Set<() => void>;
  waiting: Set<() => void>;
}

interface Caller {
  running: number;
  /** By what is asked by; the one whose turn is next stands first. */
  lines: Map<string, Line>;
}

/** Of the line whose turn it is, which goes to the end. */
function takeNext({ lines }: Caller): (() => void) | undefined {
  for (const [by, line] of lines) {
    lines.delete(by);
    const entries = line.returning.size > 0 ? line.returning : line.waiting;
    const [next] = entries;
    if (next === undefined) continue;
    entries.delete(next);
    lines.set(by, line);
    return next;
  }
  return undefined;
}

/** @param atOnce of one caller. */
export function createUserGate(atOnce = mostRunning): UserGate {
  const callers = new Map<string, Caller>();

  /** @returns the line to wait in; null where there is a place, which is taken. */
  function enter({ caller: name, by }: Lane): Line | null {
    const caller = callers.get(name) ?? { running: 0, lines: new Map<string, Line>() };
    callers.set(name, caller);
    if (caller.running < atOnce) {
      caller.running++;
      return null;
    }
    const line = caller.lines.get(by) ?? { returning: new Set(), waiting: new Set() };
    caller.lines.set(by, line);
    return line;
  }

  async function begin(lane: Lane, gone: AbortSignal): Promise<void> {
    gone.throwIfAborted();
    const line = enter(lane);
    if (line === null) return;
    if (line.waiting.size >= mostWaiting) {
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
        line.waiting.delete(go);
        reject(gone.reason as Error);
      };
      line.waiting.add(go);
      gone.addEventListener('abort', leaveLine, { once: true });
    });
  }

  async function goOn(lane: Lane): Promise<void> {
    const line = enter(lane);
    if (line !== null) await new Promise<void>((resolve) => line.returning.add(resolve));
  }

  function leave({ caller: name }: Lane): void {
    const caller = callers.get(name);
    if (caller === undefined) return;
    const next = takeNext(caller);
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
