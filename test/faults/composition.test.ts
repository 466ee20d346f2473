import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDb } from '../../src/shared/db/client.ts';
import { call } from '../support/client.ts';
import { environmentOf, pidOf } from '../support/processes.ts';
import { createTestKey, type Service, startService } from '../support/service.ts';

const extensions = join(import.meta.dirname, '../support/operations');

let service: Service;
beforeAll(async () => {
  service = await startService({ env: { EXTENSIONS: extensions } });
});
afterAll(() => service.stop());

const ask = (path: string, options: Parameters<typeof call>[1] = {}) =>
  call(path, { key: service.key, ...options }, service.url);
const waves = (body: Record<string, unknown>, prefer = 'wait=20') =>
  ask('/api/proxy/test/v1/waves', { body, headers: { Prefer: prefer } });
const noop = (options: Parameters<typeof call>[1] = {}) =>
  ask('/api/proxy/test/v1/noop', { body: {}, ...options });
const jobOf = async (id: string | null) => (await ask(`/api/proxy/jobs/${id}`)).body['data'];

test('a job that failed tells what it warned of before, and its times', async () => {
  const { status, headers, body } = await noop({ body: { fail: true } });
  expect([status, body['code']]).toEqual([422, 'selector_not_found']);
  const asked = await ask(`/api/proxy/jobs/${headers.get('x-job-id')}`);
  expect(asked.body['data']).toMatchObject({ status: 'failed', error: { code: 'selector_not_found' } });
  expect(asked.body['meta']).toMatchObject({
    jobId: headers.get('x-job-id'),
    timings: { totalMs: expect.any(Number) },
    warnings: [{ code: 'asked_to_fail', message: 'It will fail.' }],
  });
});

describe('an operation that calls operations', () => {
  test('gets the results of its children, wave by wave, in order', async () => {
    const { status, body } = await waves({ value: 1 });
    expect(status).toBe(200);
    expect(body['data']).toMatchObject({ first: 2, middle: [4, 6, 8], last: 36 });
  });

  test('counts as one attempt, however often it was resumed, and its children are not in the list', async () => {
    const { headers } = await waves({ value: 1 });
    expect(await jobOf(headers.get('x-job-id'))).toMatchObject({
      attempts: 1,
      progress: { done: 5, total: 5 },
    });
    const { body } = await ask('/api/proxy/jobs?limit=100');
    expect(body['data'].jobs.map((job: { operation: string }) => job.operation)).not.toContain('test.leaf');
  });

  test('sees failed children as entries of callAll', async () => {
    const { body } = await waves({ value: 1, failAt: 1 });
    expect(body['data'].middle).toEqual([4, null, 8]);
  });

  test('a handler that catches what leaves it is left all the same', async () => {
    const { body } = await waves({ value: 1, careless: true });
    expect(body['data'].last).toBe(36);
  });

  const chains = async (width: number, length: number, unfit = 0) =>
    await ask('/api/proxy/test/v1/chains', {
      body: { width, length, unfit },
      headers: { Prefer: 'wait=60' },
    });

  test('may call and step side by side: each part is one part, and each step runs once', async () => {
    const { status, body } = await chains(6, 3);
    expect(status).toBe(200);
    expect(body['data'].ends).toEqual([0, 8, 16, 24, 32, 40]);
    expect(Object.keys(body['data'].stepRuns)).toHaveLength(18);
    expect(new Set(Object.values(body['data'].stepRuns))).toEqual(new Set([1]));
    const { progress } = await jobOf(body['meta'].jobId);
    expect(progress).toMatchObject({ done: 20, total: 20 });
  });

  test('a step answers its first run what it answers the later ones', async () => {
    const { body } = await chains(1, 1);
    expect(new Set(body['data'].stored)).toEqual(new Set(['1970-01-01T00:00:00.000Z']));
  });

  test('a request that a part would not take is an entry, not a failure of ours', async () => {
    const { body } = await chains(0, 0, 2);
    expect(body['data'].unfit).toEqual(['ok', 'invalid_request', 'invalid_request', 'ok']);
  });

  test('the bound that an operation asks for is that of its result, and of those that it gathers', async () => {
    const letters = (body: Record<string, unknown>) =>
      ask('/api/proxy/test/v1/letters', { body, headers: { Prefer: 'wait=20' } });
    const { status, body } = await letters({ parts: [600_000, 600_001, 400_000] });
    expect([status, body['data']?.parts]).toEqual([200, ['ok', 'target_too_large', 'ok']]);
    expect((await letters({ count: 1_040_000 })).status).toBe(200);
    const refused = await letters({ count: 1_050_000 });
    expect(refused.body).toMatchObject({ status: 422, code: 'target_too_large' });
    expect(refused.body['detail']).toContain('larger than 1 MB');
  });

  test('more parts than one statement can take', { timeout: 90_000 }, async () => {
    const { body } = await ask('/api/proxy/test/v1/chains', {
      body: { width: 6_000, length: 1 },
      headers: { Prefer: 'respond-async' },
    });
    const { id } = body['data'];
    const total = async () => (await jobOf(id)).progress.total;
    await expect.poll(total, { timeout: 60_000, interval: 250 }).toBe(6_000);
    expect((await ask(`/api/proxy/jobs/${id}`, { method: 'DELETE' })).body['data'].status).toBe('canceled');
    expect((await noop()).status).toBe(200);
  });

  test('its parts are queued where it was queued itself, not behind later requests', async () => {
    const { key } = await createTestKey(service.home, 'single');
    const send = async (path: string, body: Record<string, unknown>): Promise<string> =>
      (await ask(path, { key, body, headers: { Prefer: 'respond-async' } })).body['data'].id;
    const composed = await send('/api/proxy/test/v1/waves', { value: 1, width: 2 });
    const later: string[] = [];
    for (let n = 0; n < 12; n++) later.push(await send('/api/proxy/test/v1/noop', { ms: 100 }));
    const endOf = async (id: string): Promise<string | null> =>
      (await ask(`/api/proxy/jobs/${id}`, { key })).body['data'].finishedAt;
    await expect.poll(() => endOf(later.at(-1)!), { timeout: 20_000 }).not.toBeNull();
    // A row that was dispatched before the parts were made is not called back.
    expect(Date.parse((await endOf(composed))!)).toBeLessThan(Date.parse((await endOf(later[6]!))!));
  });

  test('many at the same time do not lock each other', async () => {
    const answers = await Promise.all(Array.from({ length: 24 }, (_, n) => waves({ value: n, width: 4 })));
    expect(answers.map(({ status }) => status)).toEqual(Array(24).fill(200));
    expect(await readFile(join(service.home, 'logs/postgres.log'), 'utf8')).not.toContain('deadlock');
  });

  test('is running while it waits, and tells how many of its children have ended', async () => {
    const { body } = await waves({ value: 1, width: 4, ms: 2_000 }, 'respond-async');
    const { id } = body['data'];
    await expect
      .poll(() => jobOf(id), { interval: 50, timeout: 40_000 })
      .toMatchObject({ status: 'running', progress: { total: 5 } });
    await expect.poll(async () => (await jobOf(id)).status, { timeout: 40_000 }).toBe('succeeded');
  });

  test('takes its children with it when it is canceled', async () => {
    const { body } = await waves({ value: 1, ms: 20_000 }, 'respond-async');
    const { id } = body['data'];
    await expect.poll(async () => (await jobOf(id)).progress.total).toBe(1);
    await ask(`/api/proxy/jobs/${id}`, { method: 'DELETE' });
    const active = async () => (await ask('/api/proxy/web/v1/healthz')).body['data'].checks.queues.http;
    await expect.poll(active, { timeout: 15_000 }).toMatchObject({ active: 0, waiting: 0 });
  });

  test('a user who may run one job at a time is not locked by their own parent', async () => {
    const { key } = await createTestKey(service.home, 'single');
    const { status } = await ask('/api/proxy/test/v1/waves', {
      key,
      body: { value: 2 },
      headers: { Prefer: 'wait=20' },
    });
    expect(status).toBe(200);
  });
});

describe('fairness and bounds', () => {
  /** A service whose jobs of `test.hold` end with it, or when they are let go. */
  async function startHolding(env: Record<string, string>) {
    const own = await startService({ env: { EXTENSIONS: extensions, ...env } });
    const until = join(own.home, 'release');
    const letGo = () => writeFile(until, '');
    const post = (key: string, path: string, body: Record<string, unknown>, prefer = 'respond-async') =>
      call(`/api/proxy/test/v1/${path}`, { key, body, headers: { Prefer: prefer } }, own.url);
    return {
      own,
      post,
      hold: (key = own.key) => post(key, 'hold', { until }),
      letGo,
      async [Symbol.asyncDispose]() {
        // A worker that stops waits for them.
        await letGo();
        await own.stop();
      },
    };
  }

  test('a first job is not kept waiting by the six hundred of another user', async () => {
    await using holding = await startHolding({ HTTP_CONCURRENCY: '2' });
    const { own, post } = holding;
    const small = await createTestKey(own.home, 'free');
    for (let n = 0; n < 2; n++) await holding.hold();
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let n = 0; n < 75; n++) await post(own.key, 'noop', { ms: 100 });
      }),
    );
    await holding.letGo();
    const { body } = await post(small.key, 'noop', { ms: 20 }, 'wait=60');
    const { jobs } = (await call('/api/proxy/web/v1/profile', { key: own.key }, own.url)).body['data'];
    expect(jobs.queued + jobs.running).toBeGreaterThan(50);
    expect(body['meta'].timings.queuedMs).toBeLessThan(3_000);
  }, 180_000);

  test('past the bound of pending jobs the answer is 429, with a time to come back', async () => {
    await using bounded = await startHolding({ PENDING_JOBS_PER_USER: '5', QUEUE_BOUND: '8' });
    const { own, hold } = bounded;
    const statuses = [];
    for (let n = 0; n < 6; n++) statuses.push((await hold()).status);
    expect(statuses).toEqual([202, 202, 202, 202, 202, 429]);
    const refused = await hold();
    expect(refused.body).toMatchObject({ code: 'too_many_jobs', retryable: true });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    // It names no job that is not there, and no use that was given back.
    expect(refused.headers.get('x-job-id')).toBeNull();
    const profile = await call('/api/proxy/web/v1/profile', { key: own.key }, own.url);
    const { remaining } = profile.body['data'].key;
    expect(refused.headers.get('ratelimit')).toContain(`r=${remaining};`);
  }, 180_000);

  test('of many requests at once a queue takes as many as its bound allows', async () => {
    await using bounded = await startHolding({ QUEUE_BOUND: '40' });
    const answers = await Promise.all(Array.from({ length: 120 }, () => bounded.hold()));
    const refused = answers.filter(({ status }) => status === 503);
    // Workers may have begun some meanwhile.
    expect(refused.length).toBeGreaterThanOrEqual(120 - 40 - 32);
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(120 - refused.length);
    expect(refused[0]?.body).toMatchObject({ code: 'overloaded', retryable: true });
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
  }, 180_000);
});

const untilFile = (name: string) => join(service.home, name);

test('all that a worker ran when it was killed starts again side by side', async () => {
  const until = untilFile('release all');
  const hold = () =>
    ask('/api/proxy/test/v1/hold', { body: { until }, headers: { Prefer: 'respond-async' } });
  const held = await Promise.all(Array.from({ length: 16 }, hold));
  const jobs = () => Promise.all(held.map(({ body }) => jobOf(body['data'].id)));
  const all = (status: string, attempts: number) =>
    expect
      .poll(async () => (await jobs()).map((job) => [job.status, job.attempts]), {
        timeout: 60_000,
        interval: 250,
      })
      .toEqual(held.map(() => [status, attempts]));
  await all('running', 1);
  process.kill(pidOf(service, 'worker-http'), 'SIGKILL');
  await all('running', 2);
  await writeFile(until, '');
  await all('succeeded', 2);
}, 180_000);

test('a job that kills its worker three times is given up within 30 s, and one beside it is not blamed', async () => {
  const innocent = await noop({ body: { ms: 4_000, tag: 'innocent' }, headers: { Prefer: 'respond-async' } });
  const start = Date.now();
  const poison = await ask('/api/proxy/test/v1/poison', {
    body: { ms: 500 },
    headers: { Prefer: 'respond-async' },
  });
  const { id } = poison.body['data'];
  await expect
    .poll(async () => (await jobOf(id).catch(() => null))?.status, { timeout: 120_000, interval: 250 })
    .toBe('failed');
  expect(Date.now() - start).toBeLessThan(30_000);
  expect((await jobOf(id)).error).toMatchObject({ code: 'worker_lost' });
  const innocentId = innocent.body['data'].id;
  await expect.poll(async () => (await jobOf(innocentId)).status, { timeout: 60_000 }).toBe('succeeded');
}, 240_000);

test('a job that must run alone does so in a process of its own, and keeps nobody waiting', async () => {
  const { key } = await createTestKey(service.home, 'single');
  const hold = async (until: string): Promise<string> =>
    (await ask('/api/proxy/test/v1/hold', { key, body: { until }, headers: { Prefer: 'respond-async' } }))
      .body['data'].id;
  const statusOf = async (id: string) => (await ask(`/api/proxy/jobs/${id}`, { key })).body['data'].status;
  const [before, until] = [untilFile('release before'), untilFile('release isolated')];
  // It waits behind this one, not dispatched, until it is to be isolated.
  await hold(before);
  const isolated = await hold(until);
  await using db = createDb({
    url: environmentOf(service)['DATABASE_URL'] ?? '',
    poolSize: 1,
    onError: () => undefined,
  });
  await db.updateTable('jobs').set({ crashes: 2 }).where('id', '=', isolated).execute();
  await writeFile(before, '');
  await expect.poll(() => statusOf(isolated), { timeout: 40_000 }).toBe('running');
  const worker = pidOf(service, 'worker-http');
  expect((await noop()).body['data'].pid).toBe(worker);
  expect(await statusOf(isolated)).toBe('running');
  await writeFile(until, '');
  await expect.poll(() => statusOf(isolated), { timeout: 40_000 }).toBe('succeeded');
  const { result } = (await ask(`/api/proxy/jobs/${isolated}`, { key })).body['data'];
  expect(result.pid).not.toBe(worker);
}, 180_000);
