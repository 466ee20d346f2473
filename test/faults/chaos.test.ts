import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { held, runChaos } from '../chaos/run.ts';

test('fifteen seconds of kills, wiped data and restarts: every promise comes true, once', async () => {
  const report = await runChaos(7, 15);
  expect(report.promised).toBeGreaterThan(50);
  expect(Object.keys(report.faults).length).toBeGreaterThan(1);
  expect(held(report), JSON.stringify(report)).toBe(true);
}, 150_000);

test('stopped early, it leaves no instance and no folder behind', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'quarry-chaos-'));
  await chmod(folder, 0o755);
  const chaos = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'test/chaos/main.ts'], {
    cwd: join(import.meta.dirname, '../..'),
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(chaos, 'exit');
  // It has told so when it begins to start the instance.
  await once(chaos.stdout, 'data');
  chaos.kill('SIGTERM');
  expect(await exited).toEqual([130, null]);
  expect(await readdir(folder)).toEqual([]);
  await rm(folder, { recursive: true });
}, 60_000);
