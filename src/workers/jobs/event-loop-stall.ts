import { readFileSync } from 'node:fs';

/** However busy the machine is: past so many times the bound a stall has reached it all the same. */
const longestStretch = 6;

/** How long an event loop has stood still, second by second. */
export interface Stall {
  /** Another second has passed. @returns whether the stall has reached its bound. */
  addSecond(): boolean;
  /** The loop has moved. */
  end(): void;
}

/**
 * The time that the loop's thread spent in the run queue of the processors does not count: on a machine that
 * starves it, no code of ours holds it up, and a process that ends and is loaded anew makes the machine busier still.
 *
 * @param runDelayMs Milliseconds that the thread has spent in the run queue so far; null where the system does not tell.
 */
export function createStall(boundSeconds: number, runDelayMs: () => number | null): Stall {
  let passed = 0;
  let sinceMs = runDelayMs();
  return {
    addSecond() {
      passed += 1;
      // The kernel tells of a wait when it is over, so of one that took longer than a second at once.
      const nowMs = runDelayMs();
      const queued = nowMs === null || sinceMs === null ? 0 : (nowMs - sinceMs) / 1_000;
      return passed - Math.max(0, queued) >= boundSeconds || passed >= longestStretch * boundSeconds;
    },
    end() {
      passed = 0;
      sinceMs = runDelayMs();
    },
  };
}

/** Of a process' first thread, which is that of its event loop: the second figure of `schedstat`, in nanoseconds. */
export function readRunDelayMs(pid: number): number | null {
  try {
    const [, runDelayNs] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
    return runDelayNs === undefined ? null : Number(runDelayNs) / 1e6;
  } catch {
    return null; // a kernel without it
  }
}
