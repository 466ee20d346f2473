import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { commandLine } from '../src/embedded/processes.ts';
import { readProcessTree } from '../src/shared/processes/process-tree.ts';
import { pidOfStore } from '../test/support/processes.ts';
import { createTestHome, startService } from '../test/support/service.ts';
import { tellFigure } from './figures.ts';

/**
 * What the one-command start holds in memory while nobody asks for anything, by process: PSS, in which what processes
 * share is divided between them, so that the sum is what the machine has given away.
 */
const idleSeconds = 30;
const bound = 700;

const megabytesOf = (pid: number): number => {
  try {
    const kilobytes = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'))?.[1];
    return Number(kilobytes ?? 0) / 1024;
  } catch {
    // It has ended.
    return 0;
  }
};

function nameOf(pid: number): string {
  const command = commandLine(pid).replaceAll('\0', ' ').trim();
  const [, script, queues] = /src\/((?:embedded|api|workers)\/\S*?)\.ts ?(.*)$/.exec(command) ?? [];
  if (script !== undefined) return `${script} ${queues}`.trim();
  if (/--type=(\S+)/.test(command)) return `Chromium: ${/--type=(\S+)/.exec(command)?.[1]}`;
  if (/quarry-chromium-/.test(command)) return 'Chromium';
  return command.replace(/^\S*\//, '').slice(0, 70);
}

async function measure(home: string, label: string): Promise<void> {
  const service = await startService({ home, env: { NODE_ENV: 'production', EGRESS_ALLOW: '' } });
  try {
    await sleep(idleSeconds * 1_000);
    const pids = new Set(
      [service.process.pid ?? 0, pidOfStore(service, 'postgres')].flatMap((root) =>
        readProcessTree(root).map(({ pid }) => pid),
      ),
    );
    const rows = Array.from(pids, (pid) => ({ name: nameOf(pid), megabytes: megabytesOf(pid) })).toSorted(
      (a, b) => b.megabytes - a.megabytes,
    );
    const sum = rows.reduce((total, { megabytes }) => total + megabytes, 0);
    console.log(`${label}, on ${service.redis}, ${idleSeconds} s after it was ready, in MB`);
    for (const { name, megabytes } of rows) console.log(`  ${megabytes.toFixed(1).padStart(6)}  ${name}`);
    console.log(`  ${sum.toFixed(1).padStart(6)}  in all; at most ${bound} are wanted`);
    tellFigure({ what: `memory at rest, ${label}`, value: sum, unit: 'MB', baseline: bound });
  } finally {
    await service.stop();
  }
}

const home = await createTestHome();
// A cache of compiled code that other services share would make the first start a later one.
delete process.env['NODE_COMPILE_CACHE'];
try {
  await measure(home, 'first start');
  await measure(home, 'second start');
} finally {
  await rm(home, { recursive: true, force: true });
}
