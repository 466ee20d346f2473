import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startApiCluster } from '../support/api-cluster.ts';
import { call } from '../support/client.ts';

/** A process whose clock is so many seconds ahead of that of Postgres. */
const clockAhead = (seconds: number) => ({
  NODE_OPTIONS: `--import data:text/javascript,const{now}=Date;Date.now=()=>now()+${seconds}*1000`,
});

test('clocks that differ from that of Postgres neither end a job at once, nor delay it, nor hide who serves it', async () => {
  const env = { EXTENSIONS: join(import.meta.dirname, '../support/operations') };
  await using cluster = await startApiCluster({ processes: 0, env });
  const [api, ahead, { key }] = await Promise.all([
    cluster.startApi(clockAhead(-90)),
    cluster.startApi(clockAhead(180)),
    cluster.createKey(100),
  ]);
  const worker = fork(join(import.meta.dirname, '../../src/workers/main.ts'), ['http'], {
    env: { ...process.env, ...cluster.env, ...clockAhead(90) },
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  try {
    await once(worker, 'message');
    const headers = { Prefer: 'wait=20' };
    const { status, body } = await call('/api/proxy/test/v1/noop', { key, body: {}, headers }, api.url);
    expect([status, body['data']]).toEqual([200, expect.anything()]);
    expect(body['meta'].timings.totalMs).toBeLessThan(10_000);
    const workersSeenBy = async (url: string) =>
      (await call('/readyz', { key: null }, url)).body['queues']?.http.workers;
    for (const { url } of [api, ahead]) {
      await expect.poll(() => workersSeenBy(url), { timeout: 20_000, interval: 500 }).toBe(1);
    }
  } finally {
    worker.kill();
    await once(worker, 'exit');
  }
}, 90_000);
