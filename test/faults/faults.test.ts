import { rm } from 'node:fs/promises';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { call, scrapePath, screenshotPath } from '../support/client.ts';
import { environmentOf, pidOf } from '../support/processes.ts';
import { type Service, startService } from '../support/service.ts';
import { startSite, type Site } from '../support/site.ts';

let site: Site;
let service: Service;
beforeAll(async () => {
  site = await startSite();
  service = await startService();
});
afterAll(async () => {
  await service.stop();
  await rm(service.home, { recursive: true, force: true });
  await site.close();
});
beforeEach(async () => {
  await expect.poll(async () => (await ask('/readyz')).status, { timeout: 45_000 }).toBe(200);
  await expect
    .poll(async () => (await ask('/api/proxy/web/v1/healthz')).body['data'].status, { timeout: 45_000 })
    .toBe('ok');
});

const ask = (path: string, options: Parameters<typeof call>[1] = {}) =>
  call(path, { key: service.key, ...options }, service.url);

const submit = async (path: string, body: Record<string, unknown>): Promise<string> => {
  const answer = await ask(path, { body, headers: { Prefer: 'respond-async' } });
  expect(answer.status).toBe(202);
  return answer.body['data'].id;
};

const jobOf = async (id: string) => (await ask(`/api/proxy/jobs/${id}`)).body['data'];

test('kill -9 of the browser worker in the middle of a screenshot: the job succeeds within 10 s of a worker being there', async () => {
  const id = await submit(screenshotPath, { url: `${site.origin}/slow?wait=3000` });
  await expect.poll(async () => (await jobOf(id)).status).toBe('running');
  const pid = pidOf(service, 'worker-browser');
  process.kill(pid, 'SIGKILL');
  await expect.poll(async () => pidOf(service, 'worker-browser'), { timeout: 45_000 }).not.toBe(pid);
  const back = Date.now();
  const ended = async () => {
    const { status, error } = await jobOf(id);
    return { isOver: !['queued', 'running'].includes(status), status, error };
  };
  await expect.poll(ended, { timeout: 60_000, interval: 100 }).toMatchObject({ isOver: true });
  expect(await ended()).toEqual({ isOver: true, status: 'succeeded' });
  // Some 10 s, and the page itself takes 3.
  expect(Date.now() - back).toBeLessThan(10_000 + 3_000);
  expect(await jobOf(id)).toMatchObject({ attempts: 2, result: { width: 1280 } });
}, 180_000);

test('FLUSHALL with 50 queued jobs: all of them end', async () => {
  const url = `${site.origin}/slow?wait=400`;
  const ids = await Promise.all(Array.from({ length: 50 }, () => submit(scrapePath, { url })));
  const redis = new Redis(environmentOf(service)['REDIS_URL'] ?? '');
  await redis.flushall();
  await expect
    .poll(
      async () => (await Promise.all(ids.map(jobOf))).filter((job) => job.status === 'succeeded').length,
      {
        timeout: 60_000,
        interval: 500,
      },
    )
    .toBe(50);
  // BullMQ itself would let the events of a queue that has lost its settings grow to 10,000.
  await expect
    .poll(() => redis.hget('quarry:http:meta', 'opts.maxLenEvents'), { timeout: 15_000 })
    .toBe('200');
  redis.disconnect();
}, 120_000);

test('an allowance with plenty left that others use up meanwhile: 429, and no job', async () => {
  const body = { url: `${site.origin}/article` };
  const before = await submit(scrapePath, body);
  const redis = new Redis(environmentOf(service)['REDIS_URL'] ?? '');
  const [allowance = ''] = await redis.keys('quarry:allowance:*');
  await redis.rpush(allowance, ...Array<number>(100_000).fill(Date.now()));
  const refused = await ask(scrapePath, { body });
  await redis.del(allowance);
  redis.disconnect();
  expect(refused.body).toMatchObject({ status: 429, code: 'rate_limited' });
  expect(refused.headers.get('x-job-id')).toBeNull();
  expect((await ask('/api/proxy/jobs?limit=1')).body['data'].jobs).toMatchObject([{ id: before }]);
});

test('kill -9 of the API after its 202: the job ends, and is found', async () => {
  const id = await submit(scrapePath, { url: `${site.origin}/slow?wait=2000` });
  process.kill(pidOf(service, 'api'), 'SIGKILL');
  await expect
    .poll(async () => (await jobOf(id).catch(() => null))?.status, { timeout: 60_000, interval: 200 })
    .toBe('succeeded');
}, 120_000);

describe('with the data of the first start', () => {
  test('a second start has the same key, and what was made before', async () => {
    const id = await submit(scrapePath, { url: `${site.origin}/article` });
    await expect.poll(async () => (await jobOf(id)).status).toBe('succeeded');
    const { home, key } = service;
    service.process.kill('SIGTERM');
    await new Promise((resolve) => service.process.once('exit', resolve));
    service = await startService({ home });
    expect(service.key).toBe(key);
    expect(await jobOf(id)).toMatchObject({ status: 'succeeded', result: { statusCode: 200 } });
  }, 180_000);
});
