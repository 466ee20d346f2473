import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call } from '../support/client.ts';
import { type Service, startService } from '../support/service.ts';

const extensions = join(import.meta.dirname, '../support/operations');

let service: Service;
beforeAll(async () => {
  service = await startService({ env: { EXTENSIONS: extensions } });
});
afterAll(() => service.stop());

const noop = (body: Record<string, unknown> = {}, prefer = 'wait=20') =>
  call('/api/proxy/test/v1/noop', { key: service.key, body, headers: { Prefer: prefer } }, service.url);
const jobOf = async (id: string) =>
  (await call(`/api/proxy/jobs/${id}`, { key: service.key }, service.url)).body['data'];

/** Processes of the service's own stores, found by the data folder or the script in their command line. */
function pidOfStore(kind: 'postgres' | 'redis'): number {
  const holder = JSON.parse(readFileSync(join(service.home, 'holder.json'), 'utf8')) as {
    children: { pid: number }[];
  };
  if (kind === 'postgres') {
    return Number(readFileSync(join(service.home, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
  }
  const pid = holder.children
    .map((child) => child.pid)
    .find((candidate) =>
      /js-redis|redis-server|valkey-server/.test(readFileSync(`/proc/${candidate}/cmdline`, 'utf8')),
    );
  if (pid === undefined) throw new Error('No Redis process is in holder.json');
  return pid;
}

async function recoversWithin(ms: number): Promise<void> {
  const start = Date.now();
  await expect.poll(async () => (await noop()).status, { timeout: 20_000, interval: 50 }).toBe(200);
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
      { timeout: 30_000, interval: 300 },
    )
    .toBe(20);
}

describe('while Redis does not answer', () => {
  test('requests get a 503 that says when to come back, nothing accepted is lost, and all goes on soon after', async () => {
    const redis = pidOfStore('redis');
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
  }, 60_000);

  test('a Redis that died comes back empty, and everything accepted is rung again', async () => {
    await loseNothing(async () => {
      const redis = pidOfStore('redis');
      process.kill(redis, 'SIGKILL');
      await expect.poll(() => pidOfStore('redis'), { timeout: 10_000 }).not.toBe(redis);
      await recoversWithin(4_000);
    });
  }, 60_000);
});

describe('while Postgres is away', () => {
  test('requests get a 503, nothing accepted is lost, and all goes on soon after', async () => {
    await loseNothing(async () => {
      const postgres = pidOfStore('postgres');
      process.kill(postgres, 'SIGKILL');
      const statuses = new Set<number>();
      for (let n = 0; n < 5; n++) statuses.add((await noop({}, 'wait=5')).status);
      expect([...statuses].every((status) => status === 503 || status === 200 || status === 202)).toBe(true);
      await expect
        .poll(
          () => {
            try {
              return pidOfStore('postgres');
            } catch {
              return postgres;
            }
          },
          { timeout: 15_000 },
        )
        .not.toBe(postgres);
      await recoversWithin(4_000);
    });
  }, 60_000);
});
