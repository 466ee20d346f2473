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

function bytesIn(status: string): number {
  return readKilobytes(status, 'RssAnon') + readKilobytes(status, 'RssShmem');
}

function readKilobytes(status: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1024;
}

function readChildren(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean).map(Number);
}
