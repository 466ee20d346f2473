import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A process as the kernel knows it. The number alone is re-used after a reboot or in a new container; together
 * with the start time (clock ticks since boot) it names one process only.
 */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTicks: string;
}

/** The running process with this number; undefined when there is none or it is a zombie. */
export function findProcess(pid: number): ProcessIdentity | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in brackets and may itself hold blanks and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, startTicks] = [fields[0], fields[19]];
    if (state === 'Z' || state === 'X' || startTicks === undefined) return undefined;
    return { pid, startTicks };
  } catch {
    return undefined;
  }
}

export function isRunning(identity: ProcessIdentity): boolean {
  return findProcess(identity.pid)?.startTicks === identity.startTicks;
}

/**
 * Running processes whose command line (arguments joined by NUL) passes `matches`. Unlike their working folder
 * or program it can be read for another user's process too, also by root in a container without ptrace.
 */
export function findProcesses(matches: (commandLine: string) => boolean): ProcessIdentity[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && matches(commandLine(Number(name))))
    .map((name) => findProcess(Number(name)))
    .filter((identity) => identity !== undefined);
}

/** Arguments joined by NUL; empty for a process that is gone. */
export function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

/** Sends the signal if that very process still runs, and waits for its end; false when it outlived the wait. */
export async function endProcess(
  identity: ProcessIdentity,
  signal: NodeJS.Signals,
  timeoutMs: number,
): Promise<boolean> {
  if (isRunning(identity)) process.kill(identity.pid, signal);
  const deadline = performance.now() + timeoutMs;
  while (isRunning(identity)) {
    if (performance.now() > deadline) return false;
    await sleep(20);
  }
  return true;
}
