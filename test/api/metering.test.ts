import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { type Answer, call, scrapePath } from '../support/client.ts';
import { keepToOneDay } from '../support/one-day.ts';
import { createTestKey } from '../support/service.ts';
import { createSignedIn } from '../support/session.ts';
import { startSite, type Site } from '../support/site.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.close());
beforeEach(keepToOneDay);

const profileOf = async (key: string) => (await call('/api/proxy/web/v1/profile', { key })).body['data'];

test('the hourly allowance is exact: headers count down, the next request is 429, and refused ones cost nothing', async () => {
  const { key } = await createTestKey(inject('stack').home, 'tiny');
  const url = `${site.origin}/article`;
  await call(scrapePath, { key, body: { url: 'http://10.0.0.1/' } });
  await call(scrapePath, { key, body: { url, unknown: true } });
  const answers = [];
  for (let n = 0; n < 4; n++) answers.push(await call(scrapePath, { key, body: { url } }));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
  expect(answers.map(({ headers }) => headers.get('ratelimit')?.replaceAll(/t=\d+/g, 't=N'))).toEqual([
    '"hourly";r=2;t=N, "user";r=5;t=N',
    '"hourly";r=1;t=N, "user";r=4;t=N',
    '"hourly";r=0;t=N, "user";r=3;t=N',
    '"hourly";r=0;t=N, "user";r=3;t=N',
  ]);
  expect(answers[0]?.headers.get('ratelimit-policy')).toBe('"hourly";q=3;w=3600, "user";q=6;w=3600');
  const refused = answers[3];
  expect(refused?.body).toMatchObject({ code: 'rate_limited', retryable: true });
  const wait = Number(refused?.headers.get('retry-after'));
  expect(wait).toBeGreaterThan(3_500);
  expect(wait).toBeLessThanOrEqual(3_600);
  expect(refused?.body['retryAfterSeconds']).toBe(wait);
  expect((await profileOf(key)).key).toMatchObject({ rateLimit: 3, used: 3, remaining: 0 });
});

test('requests at the same time never get more than the allowance', async () => {
  const { key } = await createTestKey(inject('stack').home, 'tiny');
  const body = { url: `${site.origin}/article` };
  const answers = await Promise.all(Array.from({ length: 12 }, () => call(scrapePath, { key, body })));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(9);
});

test('new keys in place of deleted ones get no more than the allowance of their user', async () => {
  const { cookie } = await createSignedIn({ plan: 'tiny' });
  const headers = { Cookie: cookie };
  const statuses: number[] = [];
  const left: unknown[] = [];
  let last: Answer | undefined;
  for (let n = 0; n < 3; n++) {
    const made = await call('/api/keys', { key: null, headers, body: { name: 'One of many' } });
    for (let use = 0; use < 3; use++) {
      last = await call(scrapePath, { key: made.body['key'], body: { url: `${site.origin}/article` } });
      statuses.push(last.status);
    }
    const { body } = await call('/api/keys/validate', { method: 'POST', key: made.body['key'] });
    left.push(body['remaining'], (await profileOf(made.body['key'])).key.remaining);
    await call(`/api/keys/${made.body['id']}`, { method: 'DELETE', key: null, headers });
  }
  expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429, 429, 429]);
  expect(left).toEqual([0, 0, 0, 0, 0, 0]);
  expect(last?.headers.get('ratelimit')).toMatch(/^"hourly";r=3;t=3600, "user";r=0;t=\d+$/);
  expect(last?.body['detail']).toContain('Your keys together');
  expect(Number(last?.headers.get('retry-after'))).toBeGreaterThan(3_500);
});

test('the record in the profile counts uses and errors by operation, within seconds', async () => {
  const { key } = await createTestKey(inject('stack').home, 'free');
  await call(scrapePath, { key, body: { url: `${site.origin}/article` } });
  await call(scrapePath, { key, body: { url: `${site.origin}/redirect-loop` } });
  await call('/api/proxy/web/v1/healthz', { key });
  await expect
    .poll(async () => (await profileOf(key)).usage, { timeout: 30_000 })
    .toEqual({ today: 2, last30Days: 2, byOperation: [{ operation: 'web.scrape', count: 2, errors: 1 }] });
});

test('the profile tells who the key belongs to and what the license allows', async () => {
  const { key, id, userId } = await createTestKey(inject('stack').home, 'free');
  expect(await profileOf(key)).toMatchObject({
    user: {
      id: userId,
      license: { plan: 'free', rateLimit: 100, maxConcurrentJobs: 2, maxKeys: 2, revokedAt: null },
    },
    key: { id, name: 'Test', prefix: 'svc_live', rateLimit: 100, used: 0, remaining: 100, resetAt: null },
    jobs: { queued: 0, running: 0, maxConcurrent: 2 },
  });
});

test('healthz names every queue with its workers', async () => {
  // A worker that was late to say that it is there is not counted until it does.
  await expect
    .poll(() => call('/api/proxy/web/v1/healthz'), { timeout: 30_000 })
    .toMatchObject({
      status: 200,
      body: {
        data: {
          status: 'ok',
          version: expect.stringMatching(/^\d+\.\d+\.\d+/),
          checks: { postgres: 'ok', redis: 'ok', queues: { http: { workers: 1 }, browser: { workers: 1 } } },
        },
      },
    });
});

test('healthz tells whether Chromium runs in its sandbox', async () => {
  const sandbox = async () => (await call('/api/proxy/web/v1/healthz')).body['data'].checks.browserSandbox;
  await expect.poll(sandbox, { timeout: 30_000 }).toMatch(/^on|off$/);
});

test('livez and readyz need no key', async () => {
  expect((await call('/livez', { key: null })).status).toBe(200);
  expect((await call('/readyz', { key: null })).body).toMatchObject({ ready: true });
});
