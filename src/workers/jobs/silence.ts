import { readFileSync } from 'node:fs';

/** However busy the machine is: past so many times the bound a silence ends all the same. */
const longestStretch = 6;

/** How long an event loop has been silent, second by second. */
export interface Silence {
  /** Another second has passed. @returns whether the silence has reached its bound. */
  addSecond(): boolean;
  /** The loop has moved. */
  end(): void;
}

/**
 * Seconds in which the loop's thread stood in line for a processor count by the rest of them alone: on a machine that
 * starves it, no code of ours holds it up, and a process that ends and is loaded anew makes the machine busier still.
 *
 * @param runDelayMs Milliseconds that the thread has stood in line so far; null where the system does not tell.
 */
export function createSilence(boundSeconds: number, runDelayMs: () => number | null): Silence {
  let passed = 0;
  let counted = 0;
  let delayedMs = runDelayMs();
  return {
    addSecond() {
      const now = runDelayMs();
      const inLineMs = now === null || delayedMs === null ? 0 : now - delayedMs;
      delayedMs = now;
      passed += 1;
      counted += 1 - Math.min(1, Math.max(0, inLineMs / 1_000));
      return counted >= boundSeconds || passed >= longestStretch * boundSeconds;
    },
    end() {
      passed = 0;
      counted = 0;
      delayedMs = runDelayMs();
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
