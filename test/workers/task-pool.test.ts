import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { fork, spawn } from 'node:child_process';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createPageReader } from '../../src/workers/page/page-reader.ts';
import { readProcessMemory } from '../../src/shared/processes/process-tree.ts';
import { createTaskPool, type TaskPoolOptions } from '../../src/shared/tasks/task-pool.ts';
import { defineTask, type TaskPool } from '../../src/shared/tasks/task.ts';
import { createFlateBomb } from '../support/flate-bomb.ts';
import type beKilled from '../support/tasks/be-killed.ts';
import type describeProcess from '../support/tasks/describe-process.ts';
import type echo from '../support/tasks/echo.ts';
import type fail from '../support/tasks/fail.ts';
import type holdMemory from '../support/tasks/hold-memory.ts';
import type keepMemory from '../support/tasks/keep-memory.ts';
import type neverEnd from '../support/tasks/never-end.ts';
import type takeMemory from '../support/tasks/take-memory.ts';

vi.mock('node:child_process', { spy: true });
vi.mock('../../src/shared/processes/process-tree.ts', { spy: true });

const moduleOf = (name: string) => new URL(`../support/tasks/${name}.ts`, import.meta.url);
const echoTask = defineTask<typeof echo>(moduleOf('echo'));
const neverEndTask = defineTask<typeof neverEnd>(moduleOf('never-end'));
const takeMemoryTask = defineTask<typeof takeMemory>(moduleOf('take-memory'));
const keepMemoryTask = defineTask<typeof keepMemory>(moduleOf('keep-memory'));
const holdMemoryTask = defineTask<typeof holdMemory>(moduleOf('hold-memory'));
const failTask = defineTask<typeof fail>(moduleOf('fail'));
const beKilledTask = defineTask<typeof beKilled>(moduleOf('be-killed'));
const describeTask = defineTask<typeof describeProcess>(moduleOf('describe-process'));

const open: TaskPool[] = [];
function openPool(options?: TaskPoolOptions): TaskPool {
  const pool = createTaskPool(options);
  open.push(pool);
  return pool;
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((pool) => pool[Symbol.asyncDispose]()));
});

const by = (owner: string, signal = new AbortController().signal) => ({ owner, signal });
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: { code?: string }) => error.code,
  );
const isAlive = (pid: number) => existsSync(`/proc/${pid}`);

describe('a task', () => {
  test('gets what it is given and answers, in a process that knows nothing of ours', async () => {
    const pool = openPool();
    const value = {
      text: 'щ'.repeat(100_000),
      bytes: Buffer.from('bytes'),
      map: new Map([[1, new Date(0)]]),
    };
    expect(await pool.run(echoTask, value, by('a'))).toEqual(value);
    const { pid, environment } = await pool.run(describeTask, undefined, by('a'));
    expect(pid).not.toBe(process.pid);
    expect(environment.filter((name) => !name.startsWith('NODE_CHANNEL'))).toEqual([]);
  });

  test.each([
    ['cannot be made', () => spawn('/no/such/program', { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })],
    [
      'cannot even be tried',
      () => {
        throw new Error('spawn ENOMEM');
      },
    ],
  ])('whose process %s is refused for now, and the next is run', async (_why, start) => {
    const pool = openPool();
    vi.mocked(fork).mockImplementationOnce(start as typeof fork);
    expect(await codeOf(pool.run(echoTask, 1, by('a')))).toBe('overloaded');
    expect(await pool.run(echoTask, 2, by('a'))).toBe(2);
  });

  test('that waits for a processor is not too large', async () => {
    const pool = openPool();
    const { pid } = await pool.run(describeTask, undefined, by('a'));
    process.kill(pid, 'SIGSTOP');
    const refused = pool.run(echoTask, 1, { ...by('a'), timeoutMs: 100 });
    await expect(refused).rejects.toMatchObject({ code: 'overloaded', retryAfterSeconds: 5 });
    expect(await pool.run(echoTask, 2, by('a'))).toBe(2);
  });

  test('fails as it does at home', async () => {
    const pool = openPool();
    const expected = { code: 'unsupported_content', detail: 'Of another kind.' };
    await expect(pool.run(failTask, 'expected', by('a'))).rejects.toMatchObject(expected);
    await expect(pool.run(failTask, 'unexpected', by('a'))).rejects.toThrow('no such thing');
    await expect(pool.run(failTask, 'too-deep', by('a'))).rejects.toMatchObject({ code: 'target_too_large' });
    await expect(pool.run(failTask, 'exit', by('a'))).rejects.toMatchObject({ code: 'target_too_large' });
    expect(await pool.run(echoTask, 'after all that', by('a'))).toBe('after all that');
  });

  test.each(['heap', 'bytes'] as const)('that takes too much memory (%s) is ended', async (kind) => {
    const pool = openPool({ memoryBytes: 192 * 1024 ** 2 });
    expect(await codeOf(pool.run(takeMemoryTask, kind, by('a')))).toBe('target_too_large');
    expect(await pool.run(echoTask, 'next', by('a'))).toBe('next');
  });

  test('that reads a PDF which unpacks itself is ended', async () => {
    const reader = createPageReader(openPool({ memoryBytes: 192 * 1024 ** 2 }));
    const bomb = createFlateBomb(250);
    expect(bomb.length).toBeLessThan(20_000);
    expect(await codeOf(reader.readPdf(bomb, by('a')))).toBe('target_too_large');
  });

  test('that takes too long is ended; its time does not begin in the queue', async () => {
    const pool = openPool({ processes: 1 });
    const endless = { ...by('a'), timeoutMs: 400 };
    const ends = [1, 2, 3].map(() => codeOf(pool.run(neverEndTask, undefined, endless)));
    const waited = pool.run(echoTask, 'in time', { ...by('a'), timeoutMs: 400 });
    expect(await Promise.all(ends)).toEqual(Array(3).fill('target_too_large'));
    expect(await waited).toBe('in time');
  });

  const createFolder = () => {
    const folder = mkdtempSync(join(tmpdir(), 'quarry-test-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    return folder;
  };

  test('whose process somebody else kills is run once more, and then the machine is short of something', async () => {
    const pool = openPool({ processes: 1 });
    const folder = createFolder();
    const [twice, always] = [join(folder, 'twice'), join(folder, 'always')];
    expect(await pool.run(beKilledTask, { file: twice, times: 1 }, by('a'))).toBe(2);
    const refused = pool.run(beKilledTask, { file: always, times: Infinity }, by('a'));
    await expect(refused).rejects.toMatchObject({ code: 'overloaded', retryAfterSeconds: 5 });
    expect(readFileSync(always)).toHaveLength(2);
    expect(await pool.run(echoTask, 'next', by('a'))).toBe('next');
  });

  test.each([
    ['twice with much is too large', [128, 128], 'target_too_large'],
    ['once with much is not', [128, 1], 'overloaded'],
  ])(
    'whose process is killed %s',
    async (_how, megabytes, code) => {
      const pool = openPool({ processes: 1, memoryBytes: 256 * 1024 ** 2 });
      const file = join(createFolder(), 'pids');
      const bytes = megabytes.map((count) => count * 1024 ** 2);
      const ended = codeOf(pool.run(holdMemoryTask, { file, bytes }, by('a')));
      for (const [run, held] of bytes.entries()) {
        const readPid = () => (existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[run]) : 0);
        await expect.poll(readPid, { timeout: 20_000 }).toBeGreaterThan(0);
        const pid = readPid();
        // The pool has seen it.
        const { mock } = vi.mocked(readProcessMemory);
        const seen = () =>
          mock.calls.findLastIndex(([of], n) => of === pid && Number(mock.results[n]?.value) >= held);
        await expect.poll(seen, { timeout: 20_000 }).toBeGreaterThan(-1);
        process.kill(pid, 'SIGKILL');
      }
      expect(await ended).toBe(code);
    },
    60_000,
  );

  test('whose process was killed is not run again once it is not wanted', async () => {
    const pool = openPool({ processes: 1 });
    const over = new AbortController();
    const { pid } = await pool.run(describeTask, undefined, by('a'));
    const ended = pool.run(neverEndTask, undefined, by('a', over.signal));
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => isAlive(pid)).toBe(false);
    over.abort(new Error('stopped'));
    await expect(ended).rejects.toThrow('stopped');
    expect(await pool.run(echoTask, 'next', by('a'))).toBe('next');
  });

  test('ends with its signal, running or in the queue', async () => {
    const pool = openPool({ processes: 1 });
    const { pid } = await pool.run(describeTask, undefined, by('a'));
    const [running, waiting] = [new AbortController(), new AbortController()];
    const first = pool.run(neverEndTask, undefined, by('a', running.signal));
    const second = pool.run(neverEndTask, undefined, by('a', waiting.signal));
    waiting.abort(new Error('left the queue'));
    await expect(second).rejects.toThrow('left the queue');
    running.abort(new Error('stopped'));
    await expect(first).rejects.toThrow('stopped');
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});

describe('the pool', () => {
  test('lets nobody wait for what another brings along', async () => {
    const pool = openPool({ processes: 2 });
    const over = new AbortController();
    const endless = Array.from({ length: 50 }, () =>
      codeOf(pool.run(neverEndTask, undefined, by('a', over.signal))),
    );
    const others = ['b', 'c', 'd'].map((owner) => pool.run(echoTask, owner, by(owner)));
    expect(await Promise.all(others)).toEqual(['b', 'c', 'd']);
    over.abort();
    await Promise.all(endless);
  });

  test('takes turns between owners', async () => {
    const pool = openPool({ processes: 1 });
    const order: string[] = [];
    const ask = async (owner: string) => {
      await pool.run(echoTask, owner, by(owner));
      order.push(owner);
    };
    await Promise.all([...Array(6).fill('a'), 'b', 'c', 'b'].map(ask));
    expect(order.join('')).toBe('aabcabaaa');
  });

  test('refuses what is too much', async () => {
    const pool = openPool({ processes: 1, maxWaiting: 4 });
    const over = new AbortController();
    const begin = (owner: string) => codeOf(pool.run(neverEndTask, undefined, by(owner, over.signal)));
    // One runs; half of the places are all that one owner may have.
    const waiting = ['a', 'a', 'a'].map(begin);
    expect(await codeOf(pool.run(echoTask, 1, by('a')))).toBe('overloaded');
    waiting.push(...['b', 'b'].map(begin));
    expect(await codeOf(pool.run(echoTask, 1, by('c')))).toBe('overloaded');
    over.abort();
    await Promise.all(waiting);
  });

  test('runs tasks in sessions of their own, and lets its worker go first', async () => {
    const sessionOf = (pid: number | 'self') =>
      readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ')[3];
    const { pid } = await openPool().run(describeTask, undefined, by('a'));
    expect(sessionOf(pid)).toBe(String(pid));
    expect(sessionOf(pid)).not.toBe(sessionOf('self'));
    const niceness = readdirSync(`/proc/${pid}/task`).map((thread) => getPriority(Number(thread)));
    expect(new Set(niceness)).toEqual(new Set([Math.min(getPriority() + 5, 19)]));
  });

  test('soon ends a process that a task has left with much memory', async () => {
    const pool = openPool();
    const { pid } = await pool.run(describeTask, undefined, by('a'));
    await pool.run(keepMemoryTask, 150 * 1024 ** 2, by('a'));
    expect(isAlive(pid)).toBe(true);
    await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
  });

  test('ends its processes when there is nothing to do, and starts them again', async () => {
    const pool = openPool({ idleMs: 1 });
    const first = await pool.run(describeTask, undefined, by('a'));
    await expect.poll(() => isAlive(first.pid)).toBe(false);
    const second = await pool.run(describeTask, undefined, by('a'));
    expect(second.pid).not.toBe(first.pid);
  });

  test('ends with its worker, killed or not', async () => {
    const worker = spawn(process.execPath, [moduleOf('pool-main').pathname], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(worker.stdout, 'data')) as [Buffer];
    const pid = Number(line.toString());
    expect(isAlive(pid)).toBe(true);
    worker.kill('SIGKILL');
    await once(worker, 'exit');
    await expect.poll(() => isAlive(pid), { timeout: 15_000 }).toBe(false);
  });
});
