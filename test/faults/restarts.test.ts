import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ConnectionOptions, Worker } from 'bullmq';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDb } from '../../src/shared/db/client.ts';
import { createRedis, queuePrefix } from '../../src/shared/redis.ts';
import { startApiCluster } from '../support/api-cluster.ts';
import { call } from '../support/client.ts';
import { environmentOf, pidOfStore, startProcess } from '../support/processes.ts';
import { openStream, openWebSocket } from '../support/feed-client.ts';
import { reverseProxies } from '../support/reverse-proxy.ts';
import { createTestKey, type Service, startService } from '../support/service.ts';

/** Between the requests of a client: without it the new processes would hardly get a processor to start on. */
const pauseMs = 50;

const extensions = join(import.meta.dirname, '../support/operations');

let service: Service;
beforeAll(async () => {
  // Most of what is asked for is run by the worker that a test starts.
  service = await startService({ env: { EXTENSIONS: extensions, HTTP_CONCURRENCY: '4' } });
});
afterAll(() => service.stop());

test('APIs and workers are replaced one by one, and no request fails', async () => {
  const env = { ...environmentOf(service), REUSE_PORT: '1', PORT: '0' };
  let api = await startProcess('src/api/main.ts', [], env);
  const url = String(api.ready['url']);
  const port = new URL(url).port;
  let worker = await startProcess('src/workers/main.ts', ['http'], env);

  const statuses = new Map<string, number>();
  const stop = new AbortController();
  const clients = Array.from({ length: 8 }, async () => {
    while (!stop.signal.aborted) {
      const outcome = await call('/api/proxy/test/v1/noop', { key: service.key, body: { ms: 20 } }, url).then(
        ({ status }) => String(status),
        (error: unknown) => String((error as Error).cause ?? error),
      );
      statuses.set(outcome, (statuses.get(outcome) ?? 0) + 1);
      await sleep(pauseMs);
    }
  });
  try {
    for (let round = 0; round < 3; round++) {
      const nextApi = await startProcess('src/api/main.ts', [], { ...env, PORT: port });
      await sleep(200);
      expect(await api.stop()).toBe(0);
      api = nextApi;
      const nextWorker = await startProcess('src/workers/main.ts', ['http'], env);
      expect(await worker.stop()).toBe(0);
      worker = nextWorker;
    }
  } finally {
    stop.abort();
    await Promise.all(clients);
  }
  expect([...statuses.keys()]).toEqual(['200']);
  expect(statuses.get('200')).toBeGreaterThan(50);
  await Promise.all([api.stop(), worker.stop()]);
}, 180_000);

const submit = async (path: string, body: Record<string, unknown>): Promise<string> => {
  const options = { key: service.key, body, headers: { Prefer: 'respond-async' } };
  return (await call(`/api/proxy/test/v1/${path}`, options, service.url)).body['data'].id;
};
const submitAll = (count: number, path: string, body: Record<string, unknown>) =>
  Promise.all(Array.from({ length: count }, () => submit(path, body)));
const jobsOf = (ids: readonly string[]) =>
  Promise.all(
    ids.map(
      async (id) => (await call(`/api/proxy/jobs/${id}`, { key: service.key }, service.url)).body['data'],
    ),
  );
const statusesOf = async (ids: readonly string[]) => (await jobsOf(ids)).map(({ status }) => status);
const become = (ids: readonly string[], status: string) =>
  expect
    .poll(() => statusesOf(ids), { timeout: 60_000, interval: 200 })
    .toEqual(Array(ids.length).fill(status));

test('a worker that is stopped ends what is short, hands back what is long, and takes nothing new', async () => {
  const env = environmentOf(service);
  const worker = await startProcess('src/workers/main.ts', ['http'], { ...env, HTTP_CONCURRENCY: '32' });
  const until = join(service.home, 'release long');
  const long = await submitAll(8, 'hold', { until });
  await become(long, 'running');
  const short = await submitAll(4, 'noop', { ms: 5_000 });
  await become(short, 'running');
  const stopped = worker.stop();
  await sleep(500);
  const late = await submitAll(4, 'noop', { ms: 0 });
  expect(await stopped).toBe(0);
  await writeFile(until, '');

  await become([...long, ...short, ...late], 'succeeded');
  const ranBy = async (asked: readonly string[]) => (await jobsOf(asked)).map(({ result }) => result.pid);
  expect(await ranBy(short)).toContain(worker.process.pid);
  expect((await jobsOf(short)).map(({ attempts }) => attempts)).toEqual(Array(4).fill(1));
  expect([...(await ranBy(long)), ...(await ranBy(late))]).not.toContain(worker.process.pid);
  expect(Math.max(...(await jobsOf(long)).map(({ attempts }) => attempts))).toBe(2);
  // Handed back, not found again when its lease had run out.
  await using db = createDb({ url: env['DATABASE_URL'] ?? '', poolSize: 1, onError: () => undefined });
  const crashed = await db.selectFrom('jobs').select('id').where('crashes', '>', 0).execute();
  expect(crashed).toEqual([]);
}, 240_000);

test('a worker that is stopped while Redis hangs hands its jobs back, and ends in order', async () => {
  const env = environmentOf(service);
  const worker = await startProcess('src/workers/main.ts', ['http'], { ...env, HTTP_CONCURRENCY: '32' });
  const until = join(service.home, 'release while Redis hangs');
  const ids = await submitAll(6, 'hold', { until });
  await become(ids, 'running');
  const redis = pidOfStore(service, 'redis');
  process.kill(redis, 'SIGSTOP');
  try {
    expect(await worker.stop()).toBe(0);
    expect(await statusesOf(ids)).toContain('queued');
  } finally {
    process.kill(redis, 'SIGCONT');
  }
  await writeFile(until, '');
  await become(ids, 'succeeded');
  await using db = createDb({ url: env['DATABASE_URL'] ?? '', poolSize: 1, onError: () => undefined });
  expect(await db.selectFrom('jobs').select('id').where('crashes', '>', 0).execute()).toEqual([]);
}, 240_000);

test('an API that is stopped answers those who wait for a long job with a 202, and does not wait for clients', async () => {
  const api = await startProcess('src/api/main.ts', [], { ...environmentOf(service), PORT: '0' });
  const url = String(api.ready['url']);
  const ask = (ms: number) =>
    call('/api/proxy/test/v1/noop', { key: service.key, body: { ms }, headers: { Prefer: 'wait=60' } }, url);
  const waiting = [ask(30_000), ask(5_000)];
  const silent = connect(Number(new URL(url).port), '127.0.0.1');
  const closed = once(silent, 'close');
  const running = async () =>
    (await call('/api/proxy/jobs?status=running', { key: service.key }, service.url)).body['data'].jobs;
  await expect.poll(running, { timeout: 30_000 }).toHaveLength(2);
  expect(await api.stop()).toBe(0);
  const [long, short] = await Promise.all(waiting);
  expect(long).toMatchObject({ status: 202, body: { data: { status: 'running' } } });
  expect(long?.headers.get('location')).toBe(`/api/proxy/jobs/${long?.body['data'].id}`);
  expect(short).toMatchObject({ status: 200 });
  await closed;
}, 120_000);

test.each(reverseProxies)(
  'behind $name several APIs are one, also while they are replaced',
  async ({ start }) => {
    const { key, id } = await createTestKey(service.home, 'scale');
    await using db = createDb({
      url: environmentOf(service)['DATABASE_URL'] ?? '',
      poolSize: 1,
      onError: () => undefined,
    });
    await db
      .updateTable('api_keys')
      .set({ allowed_addresses: ['203.0.113.9'] })
      .where('id', '=', id)
      .execute();
    const env = { ...environmentOf(service), PORT: '0', TRUSTED_PROXIES: '127.0.0.1' };
    const startApi = (port = '0') => startProcess('src/api/main.ts', [], { ...env, PORT: port });
    const apis = await Promise.all([startApi(), startApi()]);
    const urls = apis.map(({ ready }) => String(ready['url']));
    await using proxy = await start(urls);
    const from = (address: string) => ({ 'X-Forwarded-For': address });
    const noop = (ms: number, headers: Record<string, string> = {}) =>
      call(
        '/api/proxy/test/v1/noop',
        { key, body: { ms }, headers: { ...from('203.0.113.9'), ...headers } },
        proxy.url,
      );

    // The address of the client, not of the proxy, is what a key is bound to.
    expect((await noop(0)).status).toBe(200);
    expect((await noop(0, from('203.0.113.10'))).body).toMatchObject({ status: 403 });

    const open = { headers: { 'X-API-Key': key, ...from('203.0.113.9') } };
    const feeds = await Promise.all([openWebSocket(proxy.url, open), openStream(proxy.url, open)]);
    const { status, headers } = await noop(500, { Prefer: 'respond-async' });
    expect(status).toBe(202);
    const place = headers.get('location') ?? '';
    for (const feed of feeds) {
      await feed.find(({ job }) => job !== undefined && place.endsWith(job.id) && job.status === 'succeeded');
      feed.close();
    }
    const asked = { key, headers: from('203.0.113.9') };
    for (let times = 0; times < 4; times++)
      expect((await call(place, asked, proxy.url)).body['data'].status).toBe('succeeded');

    const statuses = new Map<string, number>();
    const stop = new AbortController();
    const clients = Array.from({ length: 4 }, async () => {
      while (!stop.signal.aborted) {
        const outcome = await noop(20).then(
          (answer) => String(answer.status),
          (error: unknown) => String((error as Error).cause ?? error),
        );
        statuses.set(outcome, (statuses.get(outcome) ?? 0) + 1);
        await sleep(pauseMs);
      }
    });
    try {
      for (const [at, url] of urls.entries()) {
        expect(await apis[at]?.stop()).toBe(0);
        apis[at] = await startApi(new URL(url).port);
        await sleep(300);
      }
    } finally {
      stop.abort();
      await Promise.all(clients);
    }
    expect([...statuses.keys()]).toEqual(['200']);
    await Promise.all(apis.map((api) => api.stop()));
  },
  180_000,
);

test('what a worker had taken from its queue and not begun when it died is run by the one in its place', async () => {
  await using cluster = await startApiCluster({ processes: 1, env: { EXTENSIONS: extensions } });
  const { key } = await cluster.createKey(100);
  const [{ url } = { url: '' }] = cluster.apis;
  const options = { key, body: {}, headers: { Prefer: 'respond-async' } };
  const id = (await call('/api/proxy/test/v1/noop', options, url)).body['data'].id as string;
  await using stack = new AsyncDisposableStack();
  const redis = { urls: [cluster.redisUrl], isCluster: false, onError: () => undefined };
  const connection = stack.adopt(createRedis({ ...redis, blocking: true }), (it) => it.disconnect());
  // Its lock is longer than anybody waits here.
  const dead = stack.adopt(
    new Worker('http', null, {
      connection: connection as ConnectionOptions,
      prefix: queuePrefix(connection, 'http'),
      autorun: false,
      lockDuration: 600_000,
    }),
    (it) => it.close(true),
  );
  expect(await dead.getNextJob('of the dead')).toMatchObject({ data: { id } });
  const env = { ...(process.env as Record<string, string>), ...cluster.env, QUARRY_WORKER_ID: randomUUID() };
  const worker = await startProcess('src/workers/main.ts', ['http'], env);
  const status = async () => (await call(`/api/proxy/jobs/${id}`, { key }, url)).body['data'].status;
  await expect.poll(status, { timeout: 40_000, interval: 200 }).toBe('succeeded');
  await worker.stop();
}, 120_000);
