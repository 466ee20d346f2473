import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commandLine } from '../../src/embedded/processes.ts';
import { createDb, type Db } from '../../src/shared/db/client.ts';
import { call } from '../support/client.ts';
import { flawsOfEvents } from '../support/job-events.ts';
import { environmentOf, pidOf, pidsIn } from '../support/processes.ts';
import { createTestKey, type Service, startService } from '../support/service.ts';

let service: Service;
let db: Db;
beforeAll(async () => {
  service = await startService({ env: { EXTENSIONS: join(import.meta.dirname, '../support/operations') } });
  db = createDb({
    url: environmentOf(service)['DATABASE_URL'] ?? '',
    poolSize: 1,
    onError: () => undefined,
  });
});
afterAll(async () => {
  await db.destroy();
  await service.stop();
});

async function submit(path: string, body: Record<string, unknown>, key = service.key): Promise<string> {
  const options = { key, body, headers: { Prefer: 'respond-async' } };
  return (await call(`/api/proxy/test/v1/${path}`, options, service.url)).body['data'].id;
}

/** A job that two workers have died of already. @returns its `GET /api/proxy/jobs/{id}`. */
async function submitIsolated(operation: string, body: Record<string, unknown>) {
  const { key } = await createTestKey(service.home, 'single');
  // It waits behind this one, not dispatched, until it is to be isolated.
  const until = join(service.home, `release ${randomUUID()}`);
  await submit('hold', { until }, key);
  const id = await submit(operation, body, key);
  await db.updateTable('jobs').set({ crashes: 2 }).where('id', '=', id).execute();
  await writeFile(until, '');
  return async () => (await call(`/api/proxy/jobs/${id}`, { key }, service.url)).body['data'];
}

test('a job that kills its worker is given up while an innocent one that is isolated too still runs, which then succeeds', async () => {
  const until = join(service.home, 'release');
  const innocent = await submitIsolated('hold', { until });
  await expect.poll(async () => (await innocent()).status, { timeout: 40_000 }).toBe('running');
  const poison = await submitIsolated('poison', {});
  await expect.poll(async () => (await poison()).status, { timeout: 60_000 }).toBe('failed');
  expect((await poison()).error).toMatchObject({ code: 'worker_lost' });
  expect((await innocent()).status).toBe('running');
  await writeFile(until, '');
  await expect.poll(async () => (await innocent()).status, { timeout: 40_000 }).toBe('succeeded');
  expect((await innocent()).result.pid).not.toBe(pidOf(service, 'worker-http'));
}, 180_000);

test('isolated jobs that are innocent all succeed, in processes that they share, and those that are not are given up', async () => {
  const all = await Promise.all([
    ...Array.from({ length: 6 }, () => submitIsolated('noop', {})),
    ...Array.from({ length: 2 }, () => submitIsolated('poison', {})),
    ...Array.from({ length: 6 }, () => submitIsolated('noop', {})),
  ]);
  const statuses = async () => (await Promise.all(all.map((job) => job()))).map(({ status }) => status);
  const innocent = Array<string>(6).fill('succeeded');
  await expect
    .poll(statuses, { timeout: 120_000, interval: 500 })
    .toEqual([...innocent, 'failed', 'failed', ...innocent]);
}, 180_000);

/** Processes that run isolated jobs. */
const countIsolated = () =>
  pidsIn(service.home).filter((pid) => commandLine(pid).includes('isolated-main.ts')).length;

/** As `submitIsolated`, several of one user and operation, which begin together. */
async function submitIsolatedGroup(operation: string, bodies: readonly object[]) {
  const { key, userId } = await createTestKey(service.home, 'single');
  const until = join(service.home, `release ${randomUUID()}`);
  await submit('hold', { until }, key);
  const ids = await Promise.all(bodies.map((body) => submit(operation, { ...body }, key)));
  await db.updateTable('jobs').set({ crashes: 2 }).where('id', 'in', ids).execute();
  await db
    .updateTable('licenses')
    .set({ max_concurrent_jobs: bodies.length })
    .where('user_id', '=', userId)
    .execute();
  await writeFile(until, '');
  return () =>
    Promise.all(
      ids.map(async (id) => (await call(`/api/proxy/jobs/${id}`, { key }, service.url)).body['data']),
    );
}

test('isolated jobs of one user and operation run together once one of them has lived alone', async () => {
  // One that is left of another test takes a job at once, before any has lived.
  await expect.poll(countIsolated, { timeout: 30_000 }).toBe(0);
  const group = await submitIsolatedGroup(
    'noop',
    Array.from({ length: 8 }, () => ({ ms: 4_000 })),
  );
  await expect
    .poll(async () => (await group()).map(({ status }) => status), { timeout: 60_000, interval: 500 })
    .toEqual(Array<string>(8).fill('succeeded'));
  const pids = (await group()).map(({ result }) => result.pid);
  expect(pids).not.toContain(pidOf(service, 'worker-http'));
  // Those that began before it had.
  expect(new Set(pids).size).toBeLessThanOrEqual(4);
}, 180_000);

test.each([
  ['kill', { ms: 2_000 }],
  ['block', { ms: 2_000, blockMs: 120_000 }],
])(
  'of those that run together, only the ones that %s their process are blamed, be it late',
  async (_, late) => {
    const spared = Array.from({ length: 3 }, () => ({ ms: 3_000, spares: true }));
    const group = await submitIsolatedGroup('poison', [...spared, late, late, ...spared]);
    const ended = ['succeeded', 'succeeded', 'succeeded'];
    await expect
      .poll(async () => (await group()).map(({ status }) => status), { timeout: 120_000, interval: 500 })
      .toEqual([...ended, 'failed', 'failed', ...ended]);
    const jobs = await group();
    expect(jobs[3].error).toMatchObject({ code: 'worker_lost' });
    const rows = await db
      .selectFrom('jobs')
      .select(['id', 'crashes'])
      .where(
        'id',
        'in',
        jobs.map(({ id }) => id),
      )
      .execute();
    const crashesOf = new Map(rows.map(({ id, crashes }) => [id, crashes]));
    expect(jobs.map(({ id }) => crashesOf.get(id))).toEqual([2, 2, 2, 3, 3, 2, 2, 2]);
  },
  180_000,
);

test('an isolated job that blocks its process is given up, and the process is ended', async () => {
  const job = await submitIsolated('poison', { blockMs: 120_000 });
  await expect.poll(countIsolated, { timeout: 40_000 }).toBe(1);
  await expect.poll(async () => (await job()).status, { timeout: 60_000 }).toBe('failed');
  expect((await job()).error).toMatchObject({ code: 'worker_lost' });
  await expect.poll(countIsolated, { timeout: 40_000 }).toBe(0);
}, 180_000);

test('a worker that stops ends an isolated job that hears nothing, and itself in order', async () => {
  const job = await submitIsolated('poison', { blockMs: 120_000 });
  await expect.poll(async () => (await job()).status, { timeout: 40_000 }).toBe('running');
  const before = service.output().length;
  process.kill(pidOf(service, 'worker-http'), 'SIGTERM');
  const end = () => /worker-http ended unexpectedly \((.*?)\)/.exec(service.output().slice(before))?.[1];
  await expect.poll(end, { timeout: 60_000 }).toBe('code 0');
  expect(countIsolated()).toBe(0);
}, 180_000);

const jobOf = async (id: string) =>
  (await call(`/api/proxy/jobs/${id}`, { key: service.key }, service.url)).body['data'];

test('ten jobs at once that kill their worker are given up, and those beside them succeed, each once', async () => {
  const kinds = Array.from({ length: 30 }, (_, n) => (n % 3 === 0 ? 'poison' : 'noop'));
  const ids = await Promise.all(kinds.map((kind) => submit(kind, kind === 'poison' ? {} : { ms: 1_000 })));
  const statuses = async () => (await Promise.all(ids.map(jobOf))).map(({ status }) => status);
  await expect
    .poll(statuses, { timeout: 240_000, interval: 500 })
    .toEqual(kinds.map((kind) => (kind === 'poison' ? 'failed' : 'succeeded')));
  const events = await db
    .selectFrom('job_events')
    .select(['job_id', 'kind'])
    .where('job_id', 'in', ids)
    .orderBy('seq')
    .execute();
  const kindsOf = (id: string) => events.filter((event) => event.job_id === id).map(({ kind }) => kind);
  expect(ids.flatMap((id) => flawsOfEvents(kindsOf(id)))).toEqual([]);
}, 300_000);

test('a job that blocks the only worker is given up, and what came after it runs', async () => {
  const blocking = await submit('poison', { blockMs: 120_000 });
  await expect.poll(async () => (await jobOf(blocking)).status, { timeout: 40_000 }).toBe('running');
  const after = await submit('noop', {});
  await expect.poll(async () => (await jobOf(blocking)).status, { timeout: 120_000 }).toBe('failed');
  expect((await jobOf(blocking)).error).toMatchObject({ code: 'worker_lost' });
  await expect.poll(async () => (await jobOf(after)).status, { timeout: 40_000 }).toBe('succeeded');
}, 240_000);
