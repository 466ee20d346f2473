import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createDb } from '../../src/shared/db/client.ts';
import { call, scrapePath } from '../support/client.ts';
import { environmentOf } from '../support/processes.ts';
import { createTestKey } from '../support/service.ts';
import { startSite, type Site } from '../support/site.ts';

let site: Site;
let own: { key: string };
beforeAll(async () => {
  site = await startSite();
  own = await createTestKey(inject('stack').home, 'pro');
});
afterAll(() => site.close());

const start = async (path: string, prefer = 'respond-async') =>
  call(scrapePath, { key: own.key, body: { url: site.origin + path }, headers: { Prefer: prefer } });

async function ended(id: string): Promise<Record<string, any>> {
  for (;;) {
    const { body } = await call(`/api/proxy/jobs/${id}`, { key: own.key });
    if (body['data'].finishedAt !== null) return body['data'];
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('202, then by id', () => {
  test('respond-async answers at once with the job, where to ask and when', async () => {
    const { status, headers, body } = await start('/slow?wait=1500');
    expect(status).toBe(202);
    expect(body['data']).toMatchObject({ operation: 'web.scrape', finishedAt: null });
    const { id } = body['data'];
    expect(headers.get('location')).toBe(`/api/proxy/jobs/${id}`);
    expect(headers.get('x-job-id')).toBe(id);
    expect(headers.get('preference-applied')).toBe('respond-async');
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    const job = await ended(id);
    expect(job).toMatchObject({
      id,
      status: 'succeeded',
      attempts: 1,
      result: { statusCode: 200, engine: 'http' },
    });
    expect(Date.parse(job['expiresAt']) - Date.parse(job['finishedAt'])).toBeCloseTo(168 * 3_600_000, -4);
  });

  test('a wait that is too short ends in 202, and the job goes on', async () => {
    const { status, body } = await start('/slow?wait=1500', 'wait=0');
    expect(status).toBe(202);
    expect((await ended(body['data'].id))['status']).toBe('succeeded');
  });

  test('by id, in capitals too, it is waited for as long as the client says', async () => {
    const { body } = await start('/slow?wait=1500', 'wait=0');
    const asked = { Prefer: 'wait=60', Accept: 'application/json; charset=utf-8' };
    const path = `/api/proxy/jobs/${body['data'].id.toUpperCase()}`;
    const job = await call(path, { key: own.key, headers: asked });
    expect(job.headers.get('preference-applied')).toBe('wait=60');
    const both = await call(path, { key: own.key, headers: { Prefer: 'respond-async, wait=5' } });
    expect(both.headers.get('preference-applied')).toBe('wait=5');
    const atOnce = await call(path, { key: own.key, headers: { Prefer: 'respond-async' } });
    expect(atOnce.headers.get('preference-applied')).toBeNull();
    expect(job.body['data']).toMatchObject({ status: 'succeeded', result: { statusCode: 200 } });
    expect(job.body['meta']).toMatchObject({ jobId: body['data'].id });
  });

  test('a failed job shows its problem, as the waiting client would have got it', async () => {
    const { body } = await start('/redirect-loop');
    expect(await ended(body['data'].id)).toMatchObject({
      status: 'failed',
      error: { code: 'too_many_redirects', status: 502, requestId: body['meta'].requestId },
    });
  });
});

test('a job of an operation that the service no longer has is shown as it was stored', async () => {
  const { headers, body } = await start('/article', 'wait=10');
  const id = headers.get('x-job-id') ?? '';
  const { DATABASE_URL: url = '' } = environmentOf(inject('stack'));
  await using db = createDb({ url, poolSize: 1, onError: () => undefined });
  await db.updateTable('jobs').set({ operation: 'web.gone' }).where('id', '=', id).execute();
  const job = await call(`/api/proxy/jobs/${id}`, { key: own.key });
  expect(job.body['data']).toMatchObject({ operation: 'web.gone', result: body['data'] });
});

test('a job that failed with a code of a newer version is shown all the same', async () => {
  const { headers } = await start('/redirect-loop', 'wait=10');
  const id = headers.get('x-job-id') ?? '';
  const { DATABASE_URL: url = '' } = environmentOf(inject('stack'));
  await using db = createDb({ url, poolSize: 1, onError: () => undefined });
  const error = JSON.stringify({ code: 'of_tomorrow', detail: 'Nobody here knows it.' });
  await db.updateTable('jobs').set({ error }).where('id', '=', id).execute();
  expect((await call(`/api/proxy/jobs/${id}`, { key: own.key })).body['data'].error).toMatchObject({
    code: 'of_tomorrow',
    status: 500,
    detail: 'Nobody here knows it.',
  });
  expect((await call('/api/proxy/jobs?limit=1', { key: own.key })).status).toBe(200);
});

describe('the list', () => {
  test('is newest first, in pages, without results, and shows requests only, not the parts they were split into', async () => {
    const first = await start('/article', 'wait=10');
    const second = await start('/app', 'wait=20');
    const page = await call('/api/proxy/jobs?limit=1', { key: own.key });
    expect(page.body['data'].jobs).toMatchObject([
      { id: second.headers.get('x-job-id'), operation: 'web.scrape' },
    ]);
    expect(page.body['data'].jobs[0]).not.toHaveProperty('result');
    const next = await call(`/api/proxy/jobs?limit=1&cursor=${page.body['data'].nextCursor}`, {
      key: own.key,
    });
    expect(next.body['data'].jobs[0].id).toBe(first.headers.get('x-job-id'));
  });

  test('can be narrowed to a status and an operation', async () => {
    const failed = await start('/redirect-loop', 'wait=10');
    const { body } = await call('/api/proxy/jobs?status=failed&operation=web.scrape', { key: own.key });
    expect(body['data'].jobs[0].id).toBe(failed.headers.get('x-job-id'));
    expect(new Set(body['data'].jobs.map((job: { status: string }) => job.status))).toEqual(
      new Set(['failed']),
    );
    expect(
      (await call('/api/proxy/jobs?operation=web.screenshot', { key: own.key })).body['data'].jobs,
    ).toEqual([]);
  });

  test("does not show another user's jobs, and their ids answer 404", async () => {
    const { headers } = await start('/article', 'wait=10');
    const id = headers.get('x-job-id');
    const other = await createTestKey(inject('stack').home, 'free');
    expect((await call('/api/proxy/jobs', { key: other.key })).body['data'].jobs).toEqual([]);
    for (const method of ['GET', 'DELETE']) {
      expect((await call(`/api/proxy/jobs/${id}`, { method, key: other.key })).body).toMatchObject({
        code: 'not_found',
      });
    }
  });
});

test('a large result is read from Postgres as its client takes it', async () => {
  const { DATABASE_URL: databaseUrl = '' } = environmentOf(inject('stack'));
  await using disposables = new AsyncDisposableStack();
  const db = disposables.adopt(createDb({ url: databaseUrl, poolSize: 1, onError: () => undefined }), (it) =>
    it.destroy(),
  );
  const id = (await start('/article', 'wait=10')).headers.get('x-job-id') ?? '';
  const length = 24_000_000;
  const ofJob = sql`id = (select result_blob_id from jobs where id = ${id})`;
  await sql`with new as (select convert_to('{"text":"' || repeat('x', ${length}::int) || '"}', 'UTF8') as bytes)
    update blobs set bytes = new.bytes, size_bytes = length(new.bytes) from new where ${ofJob}`.execute(db);
  const path = `/api/proxy/jobs/${id}`;
  const { body } = await call(path, { key: own.key });
  expect(body['data']).toMatchObject({ id, status: 'succeeded' });
  expect(body['data'].result.text).toHaveLength(length);
  expect(body['meta']).toMatchObject({ jobId: id });

  const { url } = inject('stack');
  const asked = get(new URL(path, url), { headers: { 'X-API-Key': own.key } });
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  expect(Number(answer.headers['content-length'])).toBeGreaterThan(length);
  // Not read so far: the service has no more of it than what connections hold.
  await sql`delete from blobs where ${ofJob}`.execute(db);
  let received = 0;
  answer.on('data', (part: Buffer) => (received += part.length));
  await expect(finished(answer)).rejects.toThrow('aborted');
  expect(received).toBeLessThan(length);
});

describe('DELETE', () => {
  test('cancels a running job and what it started', async () => {
    const page = '/slow?wait=60000';
    const { body } = await call(scrapePath, {
      key: own.key,
      body: { url: site.origin + page, render: 'browser' },
      headers: { Prefer: 'respond-async' },
    });
    const { id } = body['data'];
    const loads = () => site.requests.filter(({ path }) => path === page).map(({ closed }) => closed);
    await expect.poll(loads).toEqual([false]);
    const canceled = await call(`/api/proxy/jobs/${id}`, { method: 'DELETE', key: own.key });
    expect(canceled.body['data'].status).toBe('canceled');
    await expect.poll(loads).toEqual([true]);
    const again = await call(`/api/proxy/jobs/${id}`, { method: 'DELETE', key: own.key });
    expect(again.status).toBe(200);
  });

  test('a client that waits for a canceled job is told so', async () => {
    const waiting = start('/slow?wait=20000', 'wait=20');
    const running = async () =>
      (await call('/api/proxy/jobs?status=running', { key: own.key })).body['data'].jobs;
    await expect.poll(async () => (await running()).length).toBeGreaterThan(0);
    for (const { id } of await running())
      await call(`/api/proxy/jobs/${id}`, { method: 'DELETE', key: own.key });
    expect((await waiting).body).toMatchObject({ status: 409, code: 'job_canceled' });
  });

  test('deletes the result of an ended job; the job stays as expired', async () => {
    const { headers } = await start('/article', 'wait=10');
    const path = `/api/proxy/jobs/${headers.get('x-job-id')}`;
    const { status, body } = await call(path, { method: 'DELETE', key: own.key });
    expect(status).toBe(200);
    expect(body['data']).toMatchObject({ status: 'expired' });
    expect(body['data']).not.toHaveProperty('result');
    expect((await call(path, { key: own.key })).body['data'].status).toBe('expired');
    expect((await call(path, { method: 'DELETE', key: own.key })).status).toBe(200);
  });
});
