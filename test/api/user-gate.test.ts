import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from 'kysely';
import { type ApiCluster, type OwnedKey, startApiCluster } from '../support/api-cluster.ts';

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

test('of one key eight lists are read at a time; other keys, and what is asked of keys, do not wait', async () => {
  const validate = async () => (await ask('/api/keys/validate', owned, { method: 'POST' })).status;
  // The first who asks has the uses of the last hour counted, which are among the jobs.
  expect(await validate()).toBe(200);
  const gone = new AbortController();
  const lists = await cluster.db.transaction().execute(async (trx) => {
    await sql`lock table jobs in access exclusive mode`.execute(trx);
    const asked = Array.from({ length: 9 }, () => ask('/api/proxy/jobs', owned));
    const left = ask('/api/proxy/jobs', owned, { signal: gone.signal }).catch(() => null);
    await expect.poll(listsUnderWay).toBe(8);
    expect(await validate()).toBe(200);
    asked.push(ask('/api/proxy/jobs', other));
    await expect.poll(listsUnderWay).toBe(9);
    gone.abort();
    await left;
    return asked;
  });
  expect((await Promise.all(lists)).map(({ status }) => status)).toEqual(Array(10).fill(200));
});
