import { AppError } from '../shared/errors.ts';

/** Of one caller in one process. */
const mostRunning = 8;
/** Of one of the caller's keys. */
const mostWaiting = 1_000;

/** Who asks, and by which of their keys: these are served in rotation, so that one that has leaked does not keep its owner out. */
export interface Requester {
  caller: string;
  by: string;
}

export const requesterOf = ({ userId, keyId }: { userId: string; keyId?: string | null }): Requester => ({
  caller: `user:${userId}`,
  by: keyId ?? 'session',
});

/** One of the caller's slots, while its work runs in it. */
export interface Slot {
  /** Lets others of the caller go on while something is only waited for. May be nested. */
  readonly pause: <T>(wait: () => Promise<T>) => Promise<T>;
}

/** Of work that the gate does not count. */
export const uncounted: Slot = { pause: (wait) => wait() };

/** What costs no use: of one caller only so much is worked on at a time, so that nobody's requests are behind thousands of another's. */
export interface UserGate {
  /**
   * @param requester as of `requesterOf`.
   * @param gone of the client; who has gone waits no longer.
   * @throws AppError `overloaded` where too much of the requester's waits, the reason of `gone` where the client went
   * before it began, and what `work` throws.
   */
  run<T>(requester: Requester, gone: AbortSignal, work: (slot: Slot) => Promise<T>): Promise<T>;
}

/** Of what is asked by one key. */
interface Queue {
  /** They have begun, and go first. */
  returning: Set<() => void>;
  waiting: Set<() => void>;
}

interface Caller {
  running: number;
  /** By what is asked by; the one that is served next stands first. */
  queues: Map<string, Queue>;
}

/** Of the queue that is served next, which goes to the end. */
function takeNext({ queues }: Caller): (() => void) | undefined {
  for (const [by, queue] of queues) {
    queues.delete(by);
    const entries = queue.returning.size > 0 ? queue.returning : queue.waiting;
    const [next] = entries;
    if (next === undefined) continue;
    entries.delete(next);
    queues.set(by, queue);
    return next;
  }
  return undefined;
}

/** @param atOnce of one caller. */
export function createUserGate(atOnce = mostRunning): UserGate {
  const callers = new Map<string, Caller>();

  /** @returns the queue to wait in; null where there was a free slot, which is taken. */
  function enter({ caller: name, by }: Requester): Queue | null {
    const caller = callers.get(name) ?? { running: 0, queues: new Map<string, Queue>() };
    callers.set(name, caller);
    if (caller.running < atOnce) {
      caller.running++;
      return null;
    }
    const queue = caller.queues.get(by) ?? { returning: new Set(), waiting: new Set() };
    caller.queues.set(by, queue);
    return queue;
  }

  async function begin(requester: Requester, gone: AbortSignal): Promise<void> {
    gone.throwIfAborted();
    const queue = enter(requester);
    if (queue === null) return;
    if (queue.waiting.size >= mostWaiting) {
      throw new AppError(
        'overloaded',
        'A thousand requests of yours, or of your network, wait here already. Send fewer at a time, or try again in a moment.',
        { retryAfterSeconds: 1 },
      );
    }
    await new Promise<void>((resolve, reject) => {
      const go = () => {
        gone.removeEventListener('abort', leaveQueue);
        resolve();
      };
      const leaveQueue = () => {
        queue.waiting.delete(go);
        reject(gone.reason as Error);
      };
      queue.waiting.add(go);
      gone.addEventListener('abort', leaveQueue, { once: true });
    });
  }

  async function goOn(requester: Requester): Promise<void> {
    const queue = enter(requester);
    if (queue !== null) await new Promise<void>((resolve) => queue.returning.add(resolve));
  }

  function leave({ caller: name }: Requester): void {
    const caller = callers.get(name);
    if (caller === undefined) return;
    const next = takeNext(caller);
    // The next one takes over this slot.
    if (next !== undefined) next();
    else if (--caller.running === 0) callers.delete(name);
  }

  return {
    async run(requester, gone, work) {
      await begin(requester, gone);
      let pauses = 0;
      try {
        return await work({
          async pause(wait) {
            if (pauses++ === 0) leave(requester);
            try {
              return await wait();
            } finally {
              if (--pauses === 0) await goOn(requester);
            }
          },
        });
      } finally {
        leave(requester);
      }
    },
  };
}
