import { writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** A third of the share of one that does not wait (sched(7)). */
const niceness = 5;

/**
 * Lets a process that reads foreign pages and documents wait for those that answer requests, where all want the
 * processors at once. Where Linux divides them between sessions first, the niceness of its session counts, which the
 * process must lead (sched(7), autogroup).
 */
export function lowerPriority(pid: number): void {
  for (const lower of [
    () => setPriority(pid, Math.min(19, getPriority() + niceness)),
    () => writeFileSync(`/proc/${pid}/autogroup`, String(niceness)),
  ]) {
    try {
      lower();
    } catch {
      // It has ended, or the system does not have this.
    }
  }
}
