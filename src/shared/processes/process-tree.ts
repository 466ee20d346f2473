import { readFileSync } from 'node:fs';

export interface ProcessMemory {
  pid: number;
  isRenderer: boolean;
  /** Memory that only this process holds, plus what it shares with others on purpose (canvas, images). */
  bytes: number;
}

/**
 * Memory of a process and all its descendants. Counted without file pages: the program's own text (about
 * 150 MB) is mapped by each of its processes, and plain RSS would count it once per process.
 * Processes that end meanwhile are left out; empty where /proc does not tell (no Linux).
 */
export function readProcessTree(rootPid: number): ProcessMemory[] {
  const found: ProcessMemory[] = [];
  const pending = [rootPid];
  for (let pid = pending.pop(); pid !== undefined; pid = pending.pop()) {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'latin1');
      const bytes = bytesIn(status);
      const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
      found.push({ pid, isRenderer: command.includes('--type=renderer'), bytes });
      pending.push(...readChildren(pid));
    } catch {
      // It has ended; its children, if any, are somebody else's now.
    }
  }
  return found;
}

/** As `ProcessMemory.bytes`, of one process; null where it has ended, or /proc does not tell. */
export function readProcessMemory(pid: number): number | null {
  try {
    return bytesIn(readFileSync(`/proc/${pid}/status`, 'latin1'));
  } catch {
    return null;
  }
}

/** Milliseconds of processors that one process has used, all its threads; null where it has ended, or /proc does not tell. */
export function readProcessorTime(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name before them, in parentheses, may hold spaces. A tick is 10 ms for all programs (proc(5)).
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13)
      .map(Number);
    return ((user ?? 0) + (system ?? 0)) * 10;
  } catch {
    return null;
  }
}

function bytesIn(status: string): number {
  return readKilobytes(status, 'RssAnon') + readKilobytes(status, 'RssShmem');
}

function readKilobytes(status: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1024;
}

function readChildren(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean).map(Number);
}
