import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isRunning, findProcess } from '../../src/embedded/processes.ts';
import { createHeapProbe } from '../hostile/heaps.ts';

function start(program: string, args: readonly string[], env: Record<string, string> = {}): ChildProcess {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'], env });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

test('the probe of heaps asks processes that it has seen start, and no other that has the number of one now', async () => {
  const probe = await createHeapProbe();
  onTestFinished(() => probe.close());
  const folder = probe.env['HEAP_PROBE'] ?? '';
  const code = 'process.stdin.once("end", () => process.exit()).resume(); console.log("up")';
  const probed = start(process.execPath, ['-e', code], probe.env);
  await once(probed.stdout ?? probed, 'data');
  // The signal that asks would end it.
  const foreign = start('sleep', ['60']);
  await once(foreign, 'spawn');
  for (const name of [`${foreign.pid}.json`, `${foreign.pid}-1.json`]) writeFileSync(join(folder, name), '');

  expect(await probe.read()).toMatchObject([{ before: {}, after: {} }]);
  expect(readdirSync(folder)).toHaveLength(1);
  const found = findProcess(foreign.pid ?? 0);
  expect(found !== undefined && isRunning(found) && foreign.signalCode === null).toBe(true);

  probed.stdin?.end();
  await once(probed, 'exit');
  expect(readdirSync(folder)).toEqual([]);
}, 30_000);
