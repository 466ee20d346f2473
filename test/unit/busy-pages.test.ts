import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { expect, it, onTestFinished, vi } from 'vitest';
import { readProcessorTime } from '../../src/shared/processes/process-tree.ts';
import type { BrowserInstance } from '../../src/workers/browser/browser-instance.ts';
import { createBusyPages } from '../../src/workers/browser/busy-pages.ts';

async function start(command: string): Promise<number> {
  const child = spawn('sh', ['-c', command], { detached: true, stdio: 'ignore' });
  await once(child, 'spawn');
  const pid = child.pid ?? 0;
  onTestFinished(() => void process.kill(-pid, 'SIGKILL'));
  return pid;
}

/** Null where the system has none of a session. */
async function readSession(pid: number): Promise<number | null> {
  const told = await readFile(`/proc/${pid}/autogroup`, 'utf8').catch(() => null);
  return told === null ? null : Number(/nice (-?\d+)/.exec(told)?.[1]);
}

it('lets every Chromium wait for other sessions while one has a page that has used the processors for long', async () => {
  const [busy, idle] = [await start('while :; do :; done'), await start('sleep 60')];
  const hasSessions = (await readSession(busy)) !== null;
  const instances = [busy, idle].map((pid) => ({ chromium: { pid }, givesWay: false }) as BrowserInstance);
  const told = () => Promise.all([busy, idle].map(readSession));
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => void clock.mockRestore());
  const pages = createBusyPages();
  function check(renderers: number[]): boolean[] {
    const [first, second] = instances;
    if (first) pages.check(first, []);
    if (second)
      pages.check(
        second,
        renderers.map((pid) => ({ pid })),
      );
    return instances.map(({ givesWay }) => givesWay);
  }

  expect(check([idle])).toEqual([false, false]);
  await expect.poll(() => readProcessorTime(busy), { timeout: 30_000 }).toBeGreaterThan(1_000);
  // More than once: where we are not root, Linux takes the niceness of one session each 100 ms.
  await expect.poll(() => check([busy, idle])).toEqual([true, true]);
  expect([getPriority(busy), getPriority(idle)]).toEqual([Math.max(10, getPriority()), getPriority()]);
  if (hasSessions) expect(await told()).toEqual([5, 5]);
  clock.mockReturnValue(9_999);
  expect(check([idle])).toEqual([true, true]);
  clock.mockReturnValue(10_000);
  await expect.poll(() => check([idle])).toEqual([false, false]);
  if (hasSessions) expect(await told()).toEqual([0, 0]);
});
