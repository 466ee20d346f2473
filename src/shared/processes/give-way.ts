import { readFileSync, writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** Linux weighs a process by 0.8 to the power of it. */
const lowerBy = 5;
const lowest = 19;

/** Of a process: what Linux weighs against each other first, each session by itself (sched(7), "The autogroup feature"). */
const groupOf = (pid: number | 'self') => readFileSync(`/proc/${pid}/autogroup`, 'latin1').split(' ', 1)[0];

/**
 * Puts a process that works on foreign data behind those that answer requests and keep leases: where processors are
 * contended it gets a third of what each of them gets, and where nobody else wants them it is as fast as ever.
 * To be called right after its start: what it starts in turn inherits it.
 */
export function giveWay(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    const priority = Math.min(getPriority() + lowerBy, lowest);
    setPriority(pid, priority);
    // One that leads a session of its own is in a group of its own, within which alone its priority counts.
    if (groupOf(pid) !== groupOf('self')) writeFileSync(`/proc/${pid}/autogroup`, `${priority}`);
  } catch {
    // It has ended already, or the system has no such thing: it runs beside the others then.
  }
}
