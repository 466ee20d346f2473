import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call } from '../support/client.ts';
import { environmentOf, startProcess } from '../support/processes.ts';
import { type Service, startService } from '../support/service.ts';

const extensions = join(import.meta.dirname, '../support/operations');

let service: Service;
beforeAll(async () => {
  service = await startService({ env: { EXTENSIONS: extensions } });
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
    }
  });
  for (let round = 0; round < 3; round++) {
    const nextApi = await startProcess('src/api/main.ts', [], { ...env, PORT: port });
    await sleep(200);
    expect(await api.stop()).toBe(0);
    api = nextApi;
    const nextWorker = await startProcess('src/workers/main.ts', ['http'], env);
    expect(await worker.stop()).toBe(0);
    worker = nextWorker;
  }
  stop.abort();
  await Promise.all(clients);
  expect([...statuses.keys()]).toEqual(['200']);
  expect(statuses.get('200')).toBeGreaterThan(50);
  await Promise.all([api.stop(), worker.stop()]);
}, 90_000);

test('a worker that is stopped in the middle of a long job hands it back, and another one runs it', async () => {
  const env = environmentOf(service);
  const worker = await startProcess('src/workers/main.ts', ['http'], env);
  const ids = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const body = { ms: 12_000 };
      const answer = await call(
        '/api/proxy/test/v1/noop',
        { key: service.key, body, headers: { Prefer: 'respond-async' } },
        service.url,
      );
      return answer.body['data'].id as string;
    }),
  );
  await sleep(1_000);
  expect(await worker.stop()).toBe(0);
  const jobOf = async (id: string) =>
    (await call(`/api/proxy/jobs/${id}`, { key: service.key }, service.url)).body['data'];
  await expect
    .poll(async () => (await Promise.all(ids.map(jobOf))).map((job) => job.status), {
      timeout: 40_000,
      interval: 500,
    })
    .toEqual(Array(6).fill('succeeded'));
  const pids = (await Promise.all(ids.map(jobOf))).map((job) => job.result.pid);
  expect(pids).not.toContain(worker.process.pid);
}, 70_000);

test('an API that is stopped answers those who wait for a long job with a 202, and does not wait for clients', async () => {
  const api = await startProcess('src/api/main.ts', [], { ...environmentOf(service), PORT: '0' });
  const url = String(api.ready['url']);
  const ask = (ms: number) =>
    call('/api/proxy/test/v1/noop', { key: service.key, body: { ms }, headers: { Prefer: 'wait=60' } }, url);
  const waiting = [ask(30_000), ask(3_000)];
  const silent = connect(Number(new URL(url).port), '127.0.0.1');
  const closed = once(silent, 'close');
  await sleep(1_000);
  expect(await api.stop()).toBe(0);
  const [long, short] = await Promise.all(waiting);
  expect(long).toMatchObject({ status: 202, body: { data: { status: 'running' } } });
  expect(long?.headers.get('location')).toBe(`/api/proxy/jobs/${long?.body['data'].id}`);
  expect(short).toMatchObject({ status: 200 });
  await closed;
}, 60_000);
