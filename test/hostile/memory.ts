import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { readProcessTree } from '../../src/shared/processes/process-tree.ts';
import { pidOfStore } from '../support/processes.ts';
import type { Service } from '../support/service.ts';

export interface HeldMemory {
  /** Megabytes that the machine has given away: what processes share is divided between them (PSS). */
  sum: number;
  /** Each process, the largest first: `worker-http 210`. */
  processes: string[];
}

const leastTold = 20;
/** Chromium writes all its options as one word. */
const longestName = 40;

function nameOf(pid: number): string {
  const words = readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0').filter(Boolean);
  const at = words.findIndex((word) => /\.ts$|--type=/.test(word));
  return at === -1
    ? basename(words[0] ?? '')
    : [basename(words[at] ?? ''), words[at + 1] ?? ''].join(' ').trim().slice(0, longestName);
}

function megabytesOf(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1');
  return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) / 1024;
}

/** What the service, its stores and all that they have started hold. */
export function readHeldMemory(service: Service): HeldMemory {
  const roots = [service.process.pid ?? 0, pidOfStore(service, 'postgres')];
  const pids = new Set(roots.flatMap((root) => readProcessTree(root).map(({ pid }) => pid)));
  const held = [...pids].flatMap((pid) => {
    try {
      return [{ name: nameOf(pid), megabytes: megabytesOf(pid) }];
    } catch {
      // It has ended.
      return [];
    }
  });
  return {
    sum: Math.round(held.reduce((sum, { megabytes }) => sum + megabytes, 0)),
    processes: held
      .filter(({ megabytes }) => megabytes >= leastTold)
      .toSorted((a, b) => b.megabytes - a.megabytes)
      .map(({ name, megabytes }) => `${name} ${Math.round(megabytes)}`),
  };
}
