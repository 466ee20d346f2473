import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call } from '../support/client.ts';
import { environmentOf, startProcess } from '../support/processes.ts';
import { createTestKey, type Service, startService } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ env: { EXTENSIONS: join(import.meta.dirname, '../support/operations') } });
});
afterAll(() => service.stop());

const ask = (path: string, options: Parameters<typeof call>[1] = {}) =>
  call(path, { key: service.key, ...options }, service.url);
const noop = (options: Parameters<typeof call>[1] = {}) =>
  ask('/api/proxy/test/v1/noop', { body: {}, ...options });

describe('Idempotency-Key', () => {
  const keyed = (key: string, body: Record<string, unknown> = {}) =>
    noop({ body, headers: { 'Idempotency-Key': key } });
  const used = async () => (await ask('/api/proxy/web/v1/profile')).body['data'].key.used;

  test('the same key and body get the same job again, uncounted', async () => {
    const first = await keyed('again', { tag: 'x' });
    const before = await used();
    const second = await keyed('again', { tag: 'x' });
    expect(second.headers.get('x-job-id')).toBe(first.headers.get('x-job-id'));
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(second.body['data']).toEqual(first.body['data']);
    expect(await used()).toBe(before);
  });

  test('who asks for the job gets the job, also where it has ended', async () => {
    const headers = { 'Idempotency-Key': 'a job' };
    const first = await noop({ headers });
    const second = await noop({ headers: { ...headers, Prefer: 'respond-async' } });
    expect(second.status).toBe(202);
    expect(second.body['data']).toMatchObject({ id: first.headers.get('x-job-id'), status: 'succeeded' });
  });

  test('twenty at the same time are one job and one use', async () => {
    const before = await used();
    const answers = await Promise.all(Array.from({ length: 20 }, () => keyed('at once', { ms: 300 })));
    expect(new Set(answers.map(({ headers }) => headers.get('x-job-id'))).size).toBe(1);
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(await used()).toBe(before + 1);
  });

  test('with the last use of the hour, all of those that come at the same time get its job', async () => {
    const { key } = await createTestKey(service.home, 'tiny');
    const post = (name: string) =>
      noop({ key, body: { ms: 200 }, headers: { 'Idempotency-Key': `last ${name}` } });
    await post('a');
    await post('b');
    const answers = await Promise.all(Array.from({ length: 10 }, () => post('c')));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect((await post('d')).body).toMatchObject({ status: 429, code: 'rate_limited' });
  });

  test('another body under the same key is 422', async () => {
    await keyed('other', { tag: 'a' });
    expect((await keyed('other', { tag: 'b' })).body).toMatchObject({
      status: 422,
      code: 'idempotency_mismatch',
    });
  });

  test('two bodies at the same time under one key are one job, and the other is told so without one', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => keyed('two bodies', { ms: 300, tag: `body ${n % 2}` })),
    );
    const refused = answers.filter(({ status }) => status === 422);
    expect(refused).toHaveLength(5);
    expect(refused.map(({ headers }) => headers.get('x-job-id'))).toEqual(Array(5).fill(null));
    const ids = answers.filter(({ status }) => status === 200).map(({ headers }) => headers.get('x-job-id'));
    expect([ids.length, new Set(ids).size]).toEqual([5, 1]);
  });

  test('a key is the user’s own', async () => {
    const first = await keyed('own');
    const { key } = await createTestKey(service.home, 'free');
    const second = await noop({ key, headers: { 'Idempotency-Key': 'own' } });
    expect(second.headers.get('x-job-id')).not.toBe(first.headers.get('x-job-id'));
  });

  test('a key that is too long is refused', async () => {
    expect((await keyed('k'.repeat(256))).body).toMatchObject({ status: 400, code: 'invalid_request' });
  });
});

test('an identical GET joins the running job, uncounted; after its end it runs anew', async () => {
  const path = '/api/proxy/test/v1/joinable?ms=6000';
  const { key } = await createTestKey(service.home, 'free');
  const first = await ask(path, { key, headers: { Prefer: 'respond-async' } });
  const answers = await Promise.all(Array.from({ length: 5 }, () => ask(path, { key })));
  const id = first.headers.get('x-job-id');
  expect(answers.map(({ headers }) => headers.get('x-job-id'))).toEqual(Array(5).fill(id));
  expect(new Set(answers.map(({ body }) => body['data'].run)).size).toBe(1);
  const later = await ask(path, { key, headers: { Prefer: 'respond-async' } });
  expect(later.headers.get('x-job-id')).not.toBe(id);
  expect((await ask('/api/proxy/web/v1/profile', { key })).body['data'].key.used).toBe(2);
});

test('what would be one job is one job and one use, also where it comes through two API processes at the same time', async () => {
  await using disposables = new AsyncDisposableStack();
  const env = { ...environmentOf(service), PORT: '0', REUSE_PORT: '0' };
  const other = disposables.adopt(
    await startProcess('src/api/main.ts', [], env),
    async (it) => void (await it.stop()),
  );
  const bases = [service.url, String(other.ready['url'])];
  const { key } = await createTestKey(service.home, 'free');
  // The first request to a process that has just started takes longer.
  await Promise.all(bases.map((base) => call('/livez', { key: null }, base)));
  const get = (ms: number, n: number) => call(`/api/proxy/test/v1/joinable?ms=${ms}`, { key }, bases[n % 2]);
  const used = async () => (await ask('/api/proxy/web/v1/profile', { key })).body['data'].key.used;
  const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => get(6_000, n)));
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
  expect(new Set(answers.map(({ body }) => body['data'].run)).size).toBe(1);
  expect(await used()).toBe(1);
  const keyed = (tag: string, n: number) => {
    const options = { key, body: { ms: 500, tag }, headers: { 'Idempotency-Key': 'two processes' } };
    return call('/api/proxy/test/v1/noop', options, bases[n % 2]);
  };
  const same = await Promise.all(Array.from({ length: 10 }, (_, n) => keyed('same', n)));
  expect(same.map(({ status }) => status)).toEqual(Array(10).fill(200));
  expect(new Set(same.map(({ headers }) => headers.get('x-job-id'))).size).toBe(1);
  expect(await used()).toBe(2);
  expect(await Promise.all([0, 1].map(async (n) => (await keyed('other', n)).status))).toEqual([422, 422]);
  // Jobs that end while others come: nobody is refused for what was there a moment ago.
  const storm = await Promise.all(Array.from({ length: 60 }, (_, n) => get(0, n)));
  expect(storm.map(({ status }) => status)).toEqual(Array(60).fill(200));
}, 120_000);

test('a GET joins its running job also where it carries an Idempotency-Key, which is for POST', async () => {
  const { key } = await createTestKey(service.home, 'free');
  const path = '/api/proxy/test/v1/joinable?ms=6000';
  const first = await ask(path, { key, headers: { Prefer: 'respond-async' } });
  const second = await ask(path, { key, headers: { 'Idempotency-Key': 'of a GET' } });
  expect(second.headers.get('x-job-id')).toBe(first.headers.get('x-job-id'));
  const headers = { 'Idempotency-Key': 'of a GET', Prefer: 'respond-async' };
  const later = await ask(path, { key, headers });
  expect(later.headers.get('x-job-id')).not.toBe(first.headers.get('x-job-id'));
  expect(later.headers.get('idempotency-replayed')).toBeNull();
}, 60_000);
