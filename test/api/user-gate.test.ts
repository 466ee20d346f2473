import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from 'kysely';
import { createLinks } from '../../src/api/links.ts';
import { createApiKey } from '../../src/shared/db/api-keys.ts';
import { createId } from '../../src/shared/ids.ts';
import { call } from '../support/client.ts';
import { openWebSocket } from '../support/feed-client.ts';
import { signIn } from '../support/session.ts';
import { type ApiCluster, type OwnedKey, startApiCluster } from '../support/api-cluster.ts';

const noSuchId = '01a1f9e6-0000-7000-8000-000000000000';

/** What asks must come as far as the lock, however busy the machine is. */
const held = { timeout: 10_000 };

let cluster: ApiCluster;
let owned: OwnedKey;
let other: OwnedKey;
beforeAll(async () => {
  cluster = await startApiCluster({ processes: 1, env: { DATABASE_POOL: '40' } });
  [owned, other] = [await cluster.createKey(100), await cluster.createKey(100)];
});
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
});

const ask = (path: string, { key }: OwnedKey, init: RequestInit = {}) =>
  fetch(new URL(path, cluster.apis[0]!.url), { ...init, headers: { 'X-API-Key': key } });

const listsUnderWay = async () => {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity where wait_event_type = 'Lock' and query like '%order by "id" desc limit%'`.execute(
    cluster.db,
  );
  return rows[0]?.count;
};

test('of one user eight lists are read at a time; others, and what is asked of keys, do not wait', async () => {
  const more = { userId: owned.userId, name: 'More', rateLimit: 100, userRateLimit: 100, expiresAt: null };
  const second = { ...owned, key: (await createApiKey(cluster.db, cluster.cipher, more)).text };
  const validate = async () => (await ask('/api/keys/validate', owned, { method: 'POST' })).status;
  // The first who asks has the uses of the last hour counted, which are among the jobs.
  expect(await validate()).toBe(200);
  const gone = new AbortController();
  const lists = await cluster.db.transaction().execute(async (trx) => {
    await sql`lock table jobs in access exclusive mode`.execute(trx);
    const asked = Array.from({ length: 9 }, (_, n) => ask('/api/proxy/jobs', n % 2 === 0 ? owned : second));
    const left = ask('/api/proxy/jobs', owned, { signal: gone.signal }).catch(() => null);
    await expect.poll(listsUnderWay, held).toBe(8);
    expect(await validate()).toBe(200);
    asked.push(ask('/api/proxy/jobs', other));
    await expect.poll(listsUnderWay, held).toBe(9);
    gone.abort();
    await left;
    return asked;
  });
  expect((await Promise.all(lists)).map(({ status }) => status)).toEqual(Array(10).fill(200));
});

test('files are looked up together, by two statements at a time', async () => {
  const { origin } = new URL(cluster.apis[0]!.url);
  const links = createLinks(cluster.env['LINK_SECRET'] ?? '');
  const expiresAt = new Date(Date.now() + 600_000);
  const urls = Array.from({ length: 40 }, () => links.sign(origin, createId(), 'original', expiresAt));
  const lookUps = async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from pg_stat_activity
      where wait_event_type = 'Lock' and query like '%from "files" inner join "jobs"%'`.execute(cluster.db);
    return rows[0]?.count;
  };
  const answers = await cluster.db.transaction().execute(async (trx) => {
    await sql`lock table files in access exclusive mode`.execute(trx);
    const asked = urls.map((url) => fetch(url));
    await expect.poll(lookUps, held).toBe(2);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await lookUps()).toBe(2);
    return asked;
  });
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(urls.map(() => 410));
});

test('jobs that connections of one user subscribe to are looked up eight at a time', async () => {
  const { url } = cluster.apis[0]!;
  const clients = await Promise.all(
    Array.from({ length: 20 }, () => openWebSocket(url, { headers: { 'X-API-Key': owned.key } })),
  );
  await Promise.all(clients.map((client) => client.find(({ type }) => type === 'ready')));
  const lookUps = async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from pg_stat_activity
      where wait_event_type = 'Lock' and query like '%from jobs left join blobs%'`.execute(cluster.db);
    return rows[0]?.count;
  };
  await cluster.db.transaction().execute(async (trx) => {
    await sql`lock table jobs in access exclusive mode`.execute(trx);
    for (const client of clients) client.send({ type: 'subscribe', jobId: noSuchId });
    await expect.poll(lookUps, held).toBe(8);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await lookUps()).toBe(8);
  });
  const refusals = clients.map((client) => client.find(({ type }) => type === 'error'));
  expect((await Promise.all(refusals)).map(({ code }) => code)).toEqual(clients.map(() => 'not_found'));
  for (const client of clients) client.close();
});

const lookUpsUnderWay = async () => {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity
    where wait_event_type = 'Lock' and query ~ '(idempotency_key|input_hash)"? = '`.execute(cluster.db);
  return rows[0]?.count;
};

const later = { Prefer: 'respond-async' };
interface Asked {
  path: string;
  headers: Record<string, string>;
  body?: string;
}
const byPost = (n: number): Asked => ({
  path: '/api/proxy/web/v1/url/is-alive',
  headers: { 'Idempotency-Key': `again ${n}` },
  body: JSON.stringify({ url: `http://example.com/${n}` }),
});
const byGet = (n: number): Asked => ({
  path: `/api/proxy/video/v1/platform/info?url=${encodeURIComponent(`https://vimeo.com/${10_000 + n}`)}`,
  headers: {},
});

test.each([
  ['an Idempotency-Key', byPost],
  ['the same GET', byGet],
])('jobs that were asked for before are looked up together, by %s', async (_by, requestOf) => {
  const { key } = await cluster.createKey(1_000);
  const send = (n: number, more: Record<string, string>, to: string = key) => {
    const { path, headers, body } = requestOf(n);
    const init = body === undefined ? {} : { method: 'POST', body };
    return fetch(new URL(path, cluster.apis[0]!.url), {
      ...init,
      headers: { 'X-API-Key': to, 'Content-Type': 'application/json', ...headers, ...more },
    });
  };
  const all = Array.from({ length: 40 }, (_, n) => n);
  const first = await Promise.all(all.map((n) => send(n, later)));
  expect(first.map(({ status }) => status)).toEqual(all.map(() => 202));
  const ids = first.map(({ headers }) => headers.get('x-job-id'));
  expect(new Set(ids).size).toBe(40);
  const again = await cluster.db.transaction().execute(async (trx) => {
    await sql`lock table jobs in access exclusive mode`.execute(trx);
    const asked = all.map((n) => send(n, later));
    await expect.poll(lookUpsUnderWay, held).toBe(2);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await lookUpsUnderWay()).toBe(2);
    return asked;
  });
  const answers = await Promise.all(again);
  expect(answers.map(({ headers }) => headers.get('x-job-id'))).toEqual(ids);
  // Each user's are their own.
  const theirs = await send(0, later, other.key);
  expect(theirs.headers.get('x-job-id')).not.toBe(ids[0]);
  // Who waits for a job that is under way keeps nobody out.
  const waiting = all.map((n) => send(n, { Prefer: 'wait=5' }));
  const soonest = await Promise.race([send(0, later), Promise.any(waiting).then(() => null)]);
  expect(soonest?.status).toBe(202);
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(all.map(() => 202));
});

test('of one user keys are made one after the other, and ended beside that, without a connection for each that waits', async () => {
  const password = 'correct horse battery';
  const [owner, stranger] = [await cluster.createKey(100, password), await cluster.createKey(100, password)];
  const { url } = cluster.apis[0]!;
  const sessionOf = async ({ email }: OwnedKey) => ({ Cookie: await signIn(email, password, url) });
  const [headers, theirs] = [await sessionOf(owner), await sessionOf(stranger)];
  const post = (path: string, name?: string, by = headers) =>
    call(
      path,
      { method: 'POST', key: null, headers: by, ...(name === undefined ? {} : { body: { name } }) },
      url,
    );
  const waiting = async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from pg_stat_activity where wait_event_type = 'Lock'
        and query like '%"users"%'`.execute(cluster.db);
    return rows[0]?.count;
  };
  const answers = await cluster.db.transaction().execute(async (trx) => {
    await trx.selectFrom('users').select('id').where('id', '=', owner.userId).forUpdate().execute();
    const all = Array.from({ length: 20 }, () => [
      post(`/api/keys/${owner.id}/rotate`),
      post('/api/keys', 'More'),
    ]).flat();
    await expect.poll(waiting, held).toBe(1);
    // Neither waits for them.
    expect((await post('/api/keys', 'Theirs', theirs)).status).toBe(201);
    expect((await post(`/api/keys/${noSuchId}/revoke`)).status).toBe(404);
    expect(await waiting()).toBe(1);
    return all;
  });
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  // One key is rotated once.
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  expect(statuses.filter((status) => status === 400)).toHaveLength(19);
  expect([200, 201, 400, 403]).toEqual(expect.arrayContaining([...new Set(statuses)]));
});
