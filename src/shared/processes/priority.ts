import type { ChildProcess } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** A third of the share of one that does not wait (sched(7)). */
const niceness = 5;
/** Without rights of root Linux takes the niceness of one session each 100 ms, of all programs together. */
const tries = 20;
const pauseMs = 110;

/**
 * Lets a process that reads foreign pages and documents wait for those that answer requests, where all want the
 * processors at once. Where Linux divides them between sessions first, the niceness of its session counts, which the
 * process must lead (sched(7), autogroup).
 */
export function lowerPriority(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    setPriority(child.pid, Math.min(19, Math.max(0, getPriority()) + niceness));
  } catch {
    // It has ended.
  }
  lowerSession(child, tries);
}

function lowerSession(child: ChildProcess, triesLeft: number): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  if (letSessionWait(child.pid, true) || triesLeft === 1) return;
  setTimeout(lowerSession, pauseMs * (1 + Math.random()), child, triesLeft - 1).unref();
}

/**
 * Lets the session that a process leads wait for others or no longer, where Linux divides the processors between those first.
 *
 * @returns whether there is nothing more to do; otherwise it is to be tried again after a tenth of a second
 */
export function letSessionWait(pid: number, waits: boolean): boolean {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(waits ? niceness : 0));
    return true;
  } catch (error) {
    // Otherwise it has ended, or the system does not have this.
    return (error as NodeJS.ErrnoException).code !== 'EAGAIN';
  }
}

/** A tenth of the share of one that does not wait (sched(7)). */
const yieldingNiceness = 10;

/** Lets all threads of a process, and those that they start from then on, wait for others of its session. */
export function yieldProcessor(pid: number): void {
  try {
    if (getPriority(pid) >= yieldingNiceness) return;
    // The first thread, which the next call looks at, last: where another has ended meanwhile, all are gone through again.
    const threads = readdirSync(`/proc/${pid}/task`).toReversed();
    for (const thread of threads) setPriority(Number(thread), yieldingNiceness);
  } catch {
    // It has ended, or is another user's and we are not allowed to.
  }
}

/**
 * Lets a process have the processors before others, where all want them at once. Only root may: for another user, and
 * where the service itself was started to wait for others, all stays as it is.
 *
 * @param raised below 0, as of sched(7)
 */
export function raisePriority(pid: number, raised: number): void {
  try {
    if (getPriority() > 0 || getPriority(pid) <= raised) return;
    setPriority(pid, raised);
  } catch {
    // We are not allowed to, or it has ended.
  }
  raiseSession(pid, raised);
}

/**
 * As raisePriority, but for its session alone, where Linux divides the processors between those: what it starts in a
 * session of its own is not raised.
 */
export function raiseSession(pid: number, raised: number): void {
  try {
    if (getPriority() <= 0) writeFileSync(`/proc/${pid}/autogroup`, String(raised));
  } catch {
    // As above, or the system does not have this.
  }
}
