import { Redis } from 'ioredis';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAnnouncer } from '../../src/shared/jobs/announcer.ts';
import { createDispatcher } from '../../src/shared/jobs/dispatcher.ts';
import { startReconciler } from '../../src/shared/jobs/reconciler.ts';
import { claimJobs } from '../../src/shared/jobs/transitions/lease.ts';
import { createLog } from '../../src/shared/log.ts';
import { createMetrics } from '../../src/shared/metrics/metrics.ts';
import { createRedis } from '../../src/shared/redis.ts';
import { type ApiCluster, type OwnedKey, startApiCluster } from '../support/api-cluster.ts';
import { call, scrapePath } from '../support/client.ts';
import { bulk, startRedisStandIn } from '../support/redis-stand-in.ts';

/** Rows of requests that were refused, and of others that no worker is told of. */

let cluster: ApiCluster;
let redis: Redis;
let owned: OwnedKey;
beforeAll(async () => {
  cluster = await startApiCluster({ processes: 2 });
  redis = new Redis(cluster.redisUrl);
  owned = await cluster.createKey(1_000);
});
afterAll(async () => {
  redis?.disconnect();
  await cluster?.[Symbol.asyncDispose]();
});

const submit = (n: number, headers: Record<string, string> = {}) =>
  call(
    scrapePath,
    {
      key: owned.key,
      body: { url: 'https://example.com/' },
      headers: { Prefer: 'respond-async', ...headers },
    },
    cluster.apis[n]!.url,
  );

const liveJobs = () =>
  cluster.db.selectFrom('jobs').select(['id', 'idempotency_key']).where('status', '=', 'queued').execute();

test('a job that was dispatched and begun before its use was refused is canceled', async () => {
  const { body: first } = await submit(0);
  const [allowance = ''] = await redis.keys('quarry:allowance:*');
  const refused = await cluster.db.transaction().execute(async (trx) => {
    // A list that Redis lacks is looked up, which waits here.
    await redis.del(allowance);
    await sql`lock table key_usage in access exclusive mode`.execute(trx);
    const answer = submit(0);
    await expect.poll(liveJobs, { interval: 20 }).toHaveLength(2);
    const claims = (await liveJobs()).map(({ id }) => ({ id, isolated: false }));
    const begun = await claimJobs(cluster.db, claims, 60_000);
    expect(begun.filter(Boolean)).toHaveLength(2);
    await redis.rpush(allowance, ...Array<number>(1_000).fill(Date.now()));
    return { answer };
  });
  expect((await refused.answer).body).toMatchObject({ status: 429, code: 'rate_limited' });
  const jobs = await cluster.db
    .selectFrom('jobs')
    .select(['id', 'status', 'lease_token'])
    .orderBy('id')
    .execute();
  expect(jobs).toMatchObject([
    { id: first['data'].id, status: 'running' },
    { status: 'canceled', lease_token: null },
  ]);
  await redis.del(allowance);
  await cluster.db.deleteFrom('jobs').execute();
});

test('a job that Postgres inserts after its request was given up is taken back, but not one that can be joined', async () => {
  await sql`
    create table seen (idempotency_key text);
    create function see() returns trigger language plpgsql as $$
    begin insert into seen values (new.idempotency_key); return null; end $$;
    create trigger see after insert on jobs for each row execute function see()`.execute(cluster.db);
  const headers = { 'Idempotency-Key': 'late' };
  await cluster.db.transaction().execute(async (trx) => {
    await sql`lock table jobs in share mode`.execute(trx);
    const answers = await Promise.all([submit(0), submit(1, headers)]);
    for (const { body } of answers) expect(body).toMatchObject({ status: 503, code: 'unavailable' });
  });
  const seen = async () =>
    (await sql<{ n: number }>`select count(*)::int as n from seen`.execute(cluster.db)).rows;
  await expect.poll(seen, { timeout: 15_000 }).toEqual([{ n: 2 }]);
  await expect.poll(liveJobs, { timeout: 15_000 }).toMatchObject([{ idempotency_key: 'late' }]);
  const [kept] = await liveJobs();
  const again = await submit(1, headers);
  expect(again.status).toBe(202);
  expect(again.headers.get('x-job-id')).toBe(kept?.id);
}, 30_000);

test('while Redis does not answer for one queue, the rows of the others are dispatched again', async () => {
  await cluster.db.deleteFrom('jobs').execute();
  for (const n of [0, 1]) expect((await submit(n)).status).toBe(202);
  const [silent, other] = (await liveJobs()).map(({ id }) => id);
  await cluster.db.updateTable('jobs').set({ queue: 'browser' }).where('id', '=', silent!).execute();
  await sql`update jobs set dispatched_at = now() - interval '1 minute'`.execute(cluster.db);
  const dispatched = new Set<string>();
  await using server = await startRedisStandIn((words) => {
    if (words[0] === 'info') return bulk('redis_version:7.2.0\r\nloading:0\r\n');
    const text = words.join(' ');
    if (text.includes(':browser:')) return '-CLUSTERDOWN The cluster is down\r\n';
    if (words[0] === 'exists') return ':0\r\n';
    if (!words[0]?.startsWith('eval')) return '+OK\r\n';
    for (const [id] of text.matchAll(/[\da-f]{8}-[\da-f-]{27}/g)) dispatched.add(id);
    return bulk('id');
  });
  await using disposables = new AsyncDisposableStack();
  const connection = disposables.adopt(
    createRedis({ urls: [server.url], isCluster: false, onError: () => undefined }),
    (it) => it.disconnect(),
  );
  await connection.connect();
  const log = createLog({ level: 'silent', name: 'test' });
  disposables.use(
    startReconciler({
      db: cluster.db,
      dispatcher: createDispatcher(connection),
      announcer: createAnnouncer(connection, log, createMetrics('worker')),
      log,
      leaseMs: 5_000,
      resultTtlMs: 60_000,
      intervalMs: 20,
    }),
  );
  await expect.poll(() => [...dispatched], { timeout: 30_000 }).toContain(other);
  expect(dispatched).not.toContain(silent);
});
