import { readFileSync } from 'node:fs';
import { readProcessTree } from '../../shared/processes/process-tree.ts';

/** Tells how busy the machine was with anything but one process and its descendants. */
export interface CpuMeter {
  /** Share of all cores since the start, 0 to 1; null where /proc does not tell. */
  read(): number | null;
}

interface MachineTicks {
  busy: number;
  all: number;
}

export function startCpuMeter(rootPid: number): CpuMeter {
  const before = readMachine();
  const own = process.cpuUsage();
  return {
    read() {
      const now = readMachine();
      if (before === null || now === null || now.all <= before.all) return null;
      const tree = readProcessTree(rootPid).reduce((sum, { pid }) => sum + ticksOf(pid), 0);
      // What passes on the page's bytes works for the page as well.
      const { user, system } = process.cpuUsage(own);
      const ours = tree + (user + system) / microsecondsPerTick;
      const others = now.busy - before.busy - ours;
      return Math.round(100 * Math.min(1, Math.max(0, others / (now.all - before.all)))) / 100;
    },
  };
}

/** Linux tells its user programs 100 ticks a second on every machine. */
const microsecondsPerTick = 10_000;

function readMachine(): MachineTicks | null {
  try {
    const line = readFileSync('/proc/stat', 'latin1').split('\n', 1)[0] ?? '';
    const [user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, soft = 0, steal = 0] = line
      .trim()
      .split(/\s+/)
      .slice(1)
      .map(Number);
    const busy = user + nice + system + irq + soft + steal;
    return { busy, all: busy + idle + wait };
  } catch {
    return null;
  }
}

/** Of a process and of its children that have ended. */
function ticksOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  } catch {
    return 0;
  }
}
