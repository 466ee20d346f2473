import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { environmentOf, startProcess } from '../support/processes.ts';
import { findRedisServer, type RedisCluster, startRedisCluster } from '../support/redis-cluster.ts';
import { type Service, startService } from '../support/service.ts';
import { type Site, startSite } from '../support/site.ts';

// Chaos on one: npm run chaos -- --redis-nodes 3
describe.skipIf(findRedisServer() === null)('on a Redis Cluster of three nodes (needs redis-server)', () => {
  const disposables = new AsyncDisposableStack();
  let cluster: RedisCluster;
  let service: Service;
  let site: Site;

  beforeAll(async () => {
    cluster = disposables.use(await startRedisCluster());
    site = disposables.use(await startSite());
    service = disposables.adopt(await startService({ env: { REDIS_URL: cluster.url } }), (it) => it.stop());
  });
  afterAll(() => disposables.disposeAsync());

  const ask = (path: string, init: RequestInit = {}) =>
    fetch(new URL(path, service.url), {
      ...init,
      headers: { 'X-API-Key': service.key, 'Content-Type': 'application/json', ...init.headers },
    });
  const scrape = (headers = {}) =>
    ask('/api/proxy/web/v1/scrape', {
      method: 'POST',
      headers,
      body: JSON.stringify({ url: `${site.origin}/article` }),
    });
  const statusOf = async (path: string) => {
    const { data } = (await (await ask(path)).json()) as { data: { status: string } };
    return data.status;
  };
  const listKeys = async (node: number) => await cluster.ask(node, (redis) => redis.keys('*'));

  test('jobs of all queues end, uses are counted, and each process tells its metrics', async () => {
    expect((await scrape()).status).toBe(200);
    const map = await ask('/api/proxy/web/v1/scrape/links-map', {
      method: 'POST',
      body: JSON.stringify({ url: `${site.origin}/article`, depth: 1, limit: 3 }),
    });
    expect(map.status).toBe(200);
    const shot = await ask('/api/proxy/web/v1/screenshot', {
      method: 'POST',
      body: JSON.stringify({ url: `${site.origin}/article` }),
    });
    expect(shot.status).toBe(200);
    expect(shot.headers.get('RateLimit')).toContain('r=9997');
    const check = await ask('/api/keys/validate', { method: 'POST' });
    expect(await check.json()).toMatchObject({ valid: true, remaining: 9997 });
    await expect.poll(() => statusOf('/api/proxy/web/v1/healthz')).toBe('ok');
    await expect
      .poll(async () => (await ask('/metrics')).text())
      .toMatch(/quarry_process_cpu_seconds_total\{.*role="worker"|role="worker"/);
  });

  test('the queues are shared out between the nodes', async () => {
    const all = await Promise.all([0, 1, 2].map(listKeys));
    const nodesOf = (prefix: string) =>
      [0, 1, 2].filter((node) => all[node]?.some((key) => key.startsWith(prefix)));
    for (const queue of ['http', 'browser', 'ai']) expect(nodesOf(`quarry:{${queue}}:`)).toHaveLength(1);
    expect(nodesOf('{quarry}:quarry:allowance:')).toHaveLength(1);
    expect(
      new Set(['http', 'browser', 'review', 'video', 'ai', 'seo'].flatMap((it) => nodesOf(`quarry:{${it}}:`)))
        .size,
    ).toBeGreaterThan(1);
  });

  test('a process that is told of one node only, as if it were alone, refuses to start', async () => {
    const [REDIS_URL = ''] = cluster.url.split(',');
    const start = startProcess('src/workers/main.ts', ['http'], { ...environmentOf(service), REDIS_URL });
    await expect(start).rejects.toThrow('ended with 1');
  });

  test('while a node is away 503 is answered; what was accepted before ends, though the node comes back empty', async () => {
    const holder = (await Promise.all([0, 1, 2].map(listKeys))).findIndex((keys) =>
      keys.some((key) => key.startsWith('quarry:{http}:')),
    );
    const slow = `${site.origin}/slow?wait=400`;
    const accepted = await Promise.all(
      Array.from({ length: 40 }, () =>
        ask('/api/proxy/web/v1/scrape', {
          method: 'POST',
          headers: { Prefer: 'respond-async' },
          body: JSON.stringify({ url: slow }),
        }),
      ),
    );
    expect(new Set(accepted.map(({ status }) => status))).toEqual(new Set([202]));
    await cluster.ask(holder, (redis) => redis.flushall());
    await cluster.kill(holder);
    await expect.poll(async () => (await scrape()).status, { timeout: 20_000 }).toBe(503);
    await cluster.restart(holder);
    await expect.poll(async () => (await scrape()).status, { timeout: 20_000 }).toBe(200);
    for (const { headers } of accepted)
      await expect
        .poll(() => statusOf(`/api/proxy/jobs/${headers.get('X-Job-Id')}`), { timeout: 30_000 })
        .toBe('succeeded');
  });
});
