import { join } from 'node:path';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openHome } from '../../src/embedded/home.ts';
import { startRedis } from '../../src/embedded/redis.ts';
import { createDb } from '../../src/shared/db/client.ts';
import { call } from '../support/client.ts';
import { backendsOf, environmentOf, pidOf, pidOfStore } from '../support/processes.ts';
import { createTestKey, type Service, startService } from '../support/service.ts';

const extensions = join(import.meta.dirname, '../support/operations');

let service: Service;
beforeAll(async () => {
  service = await startService({ env: { EXTENSIONS: extensions } });
});
afterAll(() => service.stop());

const noop = (body: Record<string, unknown> = {}, prefer = 'wait=20') =>
  call('/api/proxy/test/v1/noop', { key: service.key, body, headers: { Prefer: prefer } }, service.url);
const hold = (until: string) =>
  call(
    '/api/proxy/test/v1/hold',
    { key: service.key, body: { until }, headers: { Prefer: 'respond-async' } },
    service.url,
  );
const jobOf = async (id: string) =>
  (await call(`/api/proxy/jobs/${id}`, { key: service.key }, service.url)).body['data'];

async function recoversWithin(ms: number): Promise<void> {
  const start = Date.now();
  await expect.poll(async () => (await noop()).status, { timeout: 45_000, interval: 50 }).toBe(200);
  expect(Date.now() - start).toBeLessThan(ms);
}

/** Starts jobs, breaks something while they run, and expects all that were accepted to end well. */
async function loseNothing(breakSomething: () => Promise<void>): Promise<void> {
  const accepted = await Promise.all(Array.from({ length: 20 }, () => noop({ ms: 300 }, 'respond-async')));
  expect(accepted.map(({ status }) => status)).toEqual(Array(20).fill(202));
  await breakSomething();
  const ids = accepted.map(({ body }) => body['data'].id as string);
  await expect
    .poll(
      async () => (await Promise.all(ids.map(jobOf))).filter((job) => job.status === 'succeeded').length,
      { timeout: 60_000, interval: 300 },
    )
    .toBe(20);
}

describe('while Redis does not answer', () => {
  test('requests get a 503 that says when to come back, nothing accepted is lost, and all goes on soon after', async () => {
    const redis = pidOfStore(service, 'redis');
    await loseNothing(async () => {
      process.kill(redis, 'SIGSTOP');
      const refused = await noop();
      expect(refused.body).toMatchObject({ status: 503, code: 'unavailable', retryable: true });
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      const health = await call('/api/proxy/web/v1/healthz', { key: service.key }, service.url);
      expect(health.status).toBe(503);
      expect(health.body['data']).toMatchObject({
        status: 'down',
        checks: { redis: 'down', postgres: 'ok' },
      });
      await sleep(5_000);
      process.kill(redis, 'SIGCONT');
      await recoversWithin(3_000);
    });
  }, 180_000);

  test('who was refused has used nothing of the allowance, also when Redis goes on', async () => {
    const { key } = await createTestKey(service.home, 'free');
    const ask = (path: string, options: Parameters<typeof call>[1] = {}) =>
      call(path, { key, ...options }, service.url);
    const usedNow = async () => (await ask('/api/proxy/web/v1/profile')).body['data'].key.used;
    expect(await ask('/api/proxy/test/v1/noop', { body: {} })).toMatchObject({ status: 200 });
    const redis = pidOfStore(service, 'redis');
    process.kill(redis, 'SIGSTOP');
    const refused = await Promise.all([1, 2, 3].map(() => ask('/api/proxy/test/v1/noop', { body: {} })));
    process.kill(redis, 'SIGCONT');
    expect(refused.map(({ status }) => status)).toEqual([503, 503, 503]);
    await recoversWithin(3_000);
    await expect.poll(usedNow, { timeout: 15_000 }).toBe(1);
    // The record in Postgres says so too.
    await sleep(1_500);
    expect(await usedNow()).toBe(1);
  }, 90_000);

  test('a Redis that died comes back empty, and everything accepted is dispatched again', async () => {
    await loseNothing(async () => {
      const redis = pidOfStore(service, 'redis');
      process.kill(redis, 'SIGKILL');
      await expect.poll(() => pidOfStore(service, 'redis'), { timeout: 10_000 }).not.toBe(redis);
      await recoversWithin(4_000);
    });
  }, 180_000);
});

describe('while Postgres is away', () => {
  const killPostgres = async (): Promise<void> => {
    const postgres = pidOfStore(service, 'postgres');
    process.kill(postgres, 'SIGKILL');
    // A request that gets no answer fails the test: no process may die with its database.
    const statuses: number[] = [];
    for (let n = 0; n < 5; n++) statuses.push((await noop({}, 'wait=5')).status);
    expect(statuses.filter((status) => ![200, 202, 503].includes(status))).toEqual([]);
    const current = () => {
      try {
        return pidOfStore(service, 'postgres');
      } catch {
        return postgres;
      }
    };
    await expect.poll(current, { timeout: 15_000 }).not.toBe(postgres);
    await recoversWithin(4_000);
  };

  test('requests get a 503, nothing accepted is lost, and all goes on soon after, time after time', async () => {
    const api = pidOf(service, 'api');
    for (let round = 0; round < 3; round++) await loseNothing(killPostgres);
    expect(pidOf(service, 'api')).toBe(api);
  }, 300_000);

  test('a job of many steps goes on with the next one: none is taken twice, and no retry is spent', async () => {
    const accepted = await call(
      '/api/proxy/test/v1/steps',
      { key: service.key, body: { count: 40, ms: 50 }, headers: { Prefer: 'respond-async' } },
      service.url,
    );
    const { id } = accepted.body['data'];
    await expect.poll(async () => (await jobOf(id)).progress.done).toBeGreaterThan(2);
    await killPostgres();
    await expect
      .poll(async () => await jobOf(id), { timeout: 15_000 })
      .toMatchObject({ status: 'succeeded', attempts: 1, result: { taken: 40 } });
  }, 180_000);
});

test('a Postgres that hung for longer than a lease costs no running job its attempt', async () => {
  const { DATABASE_URL: url = '' } = environmentOf(service);
  await using db = createDb({ url, poolSize: 1, onError: () => undefined });
  const until = join(service.home, 'release after Postgres');
  const accepted = await Promise.all(Array.from({ length: 8 }, () => hold(until)));
  const jobs = () => Promise.all(accepted.map(({ body }) => jobOf(body['data'].id)));
  await expect
    .poll(async () => (await jobs()).every(({ status }) => status === 'running'), { timeout: 60_000 })
    .toBe(true);

  const ofWorker = await backendsOf(pidOf(service, 'worker-http'), db);
  expect(ofWorker.length).toBeGreaterThan(0);
  const ofOthers = await Promise.all(
    (['api', 'worker-browser'] as const).map((child) => backendsOf(pidOf(service, child), db)),
  );
  const others = [pidOfStore(service, 'postgres'), ...ofOthers.flat()];
  const signal = (pids: readonly number[], name: NodeJS.Signals) => {
    for (const pid of pids) {
      try {
        process.kill(pid, name);
      } catch {
        // A connection that the API gave up has taken its backend along.
      }
    }
  };
  signal([...others, ...ofWorker], 'SIGSTOP');
  try {
    await sleep(5_500);
    // Those who look for lost jobs are answered before the worker has renewed its leases.
    signal(others, 'SIGCONT');
    await sleep(1_300);
  } finally {
    signal([...others, ...ofWorker], 'SIGCONT');
  }
  await writeFile(until, '');
  await expect
    .poll(async () => (await jobs()).every(({ status }) => status === 'succeeded'), { timeout: 60_000 })
    .toBe(true);
  expect((await jobs()).map(({ attempts }) => attempts)).toEqual(Array(8).fill(1));
}, 180_000);

test('connections of a worker that fall silent for longer than a lease cost no running job its attempt', async () => {
  const { DATABASE_URL: url = '' } = environmentOf(service);
  await using db = createDb({ url, poolSize: 1, onError: () => undefined });
  // Each waits in statements of its own, so that a renewal has an idle connection to take.
  const waves = { key: service.key, body: { value: 1, width: 4 } };
  await Promise.all(Array.from({ length: 8 }, () => call('/api/proxy/test/v1/waves', waves, service.url)));
  const until = join(service.home, 'release after connections');
  const accepted = await Promise.all(Array.from({ length: 4 }, () => hold(until)));
  const jobs = () => Promise.all(accepted.map(({ body }) => jobOf(body['data'].id)));
  await expect
    .poll(async () => (await jobs()).every(({ status }) => status === 'running'), { timeout: 60_000 })
    .toBe(true);
  const silent = await backendsOf(pidOf(service, 'worker-http'), db);
  expect(silent.length).toBeGreaterThan(4);
  const signal = (name: NodeJS.Signals) => silent.forEach((pid) => process.kill(pid, name));
  signal('SIGSTOP');
  await sleep(9_000);
  signal('SIGCONT');
  await sleep(1_000);
  await writeFile(until, '');
  await expect
    .poll(async () => (await jobs()).every(({ status }) => status === 'succeeded'), { timeout: 60_000 })
    .toBe(true);
  expect((await jobs()).map(({ attempts }) => attempts)).toEqual(Array(4).fill(1));
}, 180_000);

describe('while results cannot be written', () => {
  test('nothing new is accepted, what was accepted is kept until it can be written, and all goes on soon after', async () => {
    const { DATABASE_URL: connectionString = '' } = environmentOf(service);
    const pool = new Pool({ connectionString, max: 1 });
    const ids: string[] = [];
    await loseNothing(async () => {
      // What Postgres says of a full disk, for this table only.
      await pool.query(`
        create function refuse_blobs() returns trigger language plpgsql as $$
        begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`);
      await pool.query(
        'create trigger refuse_blobs before insert on blobs for each row execute function refuse_blobs()',
      );
      const late = await noop({ ms: 300 }, 'respond-async');
      ids.push(late.body['data'].id as string);
      await expect
        .poll(async () => (await noop({}, 'respond-async')).status, { timeout: 15_000, interval: 100 })
        .toBe(503);
      const refused = await noop();
      expect(refused.body).toMatchObject({ status: 503, code: 'unavailable', retryable: true });
      expect(refused.body['detail']).toContain('stored');
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      const health = await call('/api/proxy/web/v1/healthz', { key: service.key }, service.url);
      expect(health.body['data']).toMatchObject({ status: 'degraded', checks: { storage: 'down' } });
      await sleep(6_000);
      await pool.query('drop trigger refuse_blobs on blobs');
      await recoversWithin(3_000);
    });
    await pool.end();
    // Longer than a lease, and yet nobody took it for dead.
    expect(await jobOf(ids[0]!)).toMatchObject({ status: 'succeeded', attempts: 1 });
  }, 180_000);
});

describe('while Redis is gone for 40 s', () => {
  test('requests get a 503 at once, keys and jobs can be asked, running jobs end, and all goes on within seconds', async () => {
    await using disposables = new AsyncDisposableStack();
    const folder = disposables.adopt(await mkdtemp(join(tmpdir(), 'quarry-test-')), (path) =>
      rm(path, { recursive: true }),
    );
    const home = openHome({ QUARRY_HOME: folder });
    // None on PATH: the one in JavaScript, which forgets everything.
    let redis = await startRedis(home, {});
    disposables.defer(() => redis.stop());
    const own = disposables.adopt(
      await startService({ env: { EXTENSIONS: extensions, REDIS_URL: redis.url } }),
      (it) => it.stop(),
    );
    const ask = (path: string, options: Parameters<typeof call>[1] = {}) =>
      call(path, { key: own.key, ...options }, own.url);
    const accept = async (ms: number): Promise<string> =>
      (await ask('/api/proxy/test/v1/noop', { body: { ms }, headers: { Prefer: 'respond-async' } })).body[
        'data'
      ].id;
    const statusOf = async (id: string) => (await ask(`/api/proxy/jobs/${id}`)).body['data'].status;

    const running = await accept(5_000);
    await expect.poll(() => statusOf(running)).toBe('running');
    const queued = await Promise.all(Array.from({ length: 60 }, () => accept(200)));
    process.kill(redis.process.pid, 'SIGKILL');
    const backAt = Date.now() + 40_000;

    await expect.poll(() => statusOf(running), { timeout: 15_000 }).toBe('succeeded');
    while (Date.now() < backAt) {
      const start = Date.now();
      expect(await ask('/api/proxy/test/v1/noop', { body: {} })).toMatchObject({ status: 503 });
      expect(Date.now() - start).toBeLessThan(10_000);
      expect(await ask('/api/keys/validate', { method: 'POST' })).toMatchObject({ status: 200 });
      await sleep(1_000);
    }
    redis = await startRedis(home, {}, redis.url);
    const start = Date.now();
    await expect
      .poll(async () => (await ask('/api/proxy/test/v1/noop', { body: {} })).status, { timeout: 20_000 })
      .toBe(200);
    expect(Date.now() - start).toBeLessThan(10_000);
    for (const id of queued) await expect.poll(() => statusOf(id), { timeout: 20_000 }).toBe('succeeded');
  }, 300_000);
});
