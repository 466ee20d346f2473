import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call } from '../support/client.ts';
import { environmentOf, startProcess } from '../support/processes.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({
    env: {
      EXTENSIONS: join(import.meta.dirname, '../support/operations'),
      PLANS: JSON.stringify({ scale: { rateLimit: 100_000, maxConcurrentJobs: 100, maxKeys: 50 } }),
    },
  });
});
afterAll(() => service.stop());

/** Forwards connections, until those that are open by then are told nothing any more, as by a router that forgets them. */
async function startForgetfulProxy(target: URL) {
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(from);
      from.on('error', () => undefined).on('close', () => to.destroy());
      from.pipe(to);
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  url.search = ''; // no Unix socket beside it
  return {
    url: url.href,
    forget: () => open.forEach((socket) => socket.unpipe().pause().removeAllListeners('close')),
    stop() {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}

test('a worker whose connections to Postgres are half-open ends its jobs within seconds, each run once', async () => {
  const env = environmentOf(service);
  const proxy = await startForgetfulProxy(new URL(env['DATABASE_URL'] ?? ''));
  const worker = await startProcess('src/workers/main.ts', ['http'], { ...env, DATABASE_URL: proxy.url });
  try {
    const until = join(service.home, 'release');
    const options = { key: service.key, body: { until }, headers: { Prefer: 'respond-async' } };
    const ids: string[] = await Promise.all(
      Array.from(
        { length: 40 },
        async () => (await call('/api/proxy/test/v1/hold', options, service.url)).body['data'].id,
      ),
    );
    const jobs = () =>
      Promise.all(
        ids.map(
          async (id) => (await call(`/api/proxy/jobs/${id}`, { key: service.key }, service.url)).body['data'],
        ),
      );
    const all = async (status: string) => (await jobs()).every((job) => job.status === status);
    await expect.poll(() => all('running'), { timeout: 60_000, interval: 200 }).toBe(true);
    proxy.forget();
    await sleep(1_000);
    await writeFile(until, '');
    await expect.poll(() => all('succeeded'), { timeout: 60_000, interval: 200 }).toBe(true);
    const ended = await jobs();
    expect(ended.map((job) => job.result.pid)).toContain(worker.process.pid);
    expect(new Set(ended.map((job) => job.attempts))).toEqual(new Set([1]));
  } finally {
    await worker.stop();
    proxy.stop();
  }
}, 180_000);
