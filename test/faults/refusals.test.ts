import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createId } from '../../src/shared/ids.ts';
import { createHealth } from '../../src/api/health.ts';
import { createRedis, isRedisAway } from '../../src/shared/redis.ts';
import { createAllowances } from '../../src/shared/usage/allowance.ts';
import { type ApiCluster, type OwnedKey, startApiCluster } from '../support/api-cluster.ts';
import { type Answer, call, scrapePath } from '../support/client.ts';
import { signIn } from '../support/session.ts';
import { refuseWrites, startWire, type Wire } from '../support/wire.ts';

const password = 'correct horse battery';
let isFull = false;

let cluster: ApiCluster;
let toPostgres: Wire;
let toRedis: Wire;
let api: { url: string };
beforeAll(async () => {
  cluster = await startApiCluster({ processes: 0 });
  toPostgres = await startWire(cluster.env['DATABASE_URL'] ?? '');
  toRedis = await startWire(cluster.redisUrl, () => refuseWrites(() => isFull));
  api = await cluster.startApi({
    DATABASE_URL: toPostgres.url,
    REDIS_URL: toRedis.url,
    // One for each call below, so that each has one to hang on.
    DATABASE_POOL: '20',
  });
});
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
  await toPostgres?.[Symbol.asyncDispose]();
  await toRedis?.[Symbol.asyncDispose]();
});

type Options = NonNullable<Parameters<typeof call>[1]>;

let owned: OwnedKey;
let cookie: string;
beforeEach(async () => {
  owned = await cluster.createKey(1_000, password);
  cookie = await signIn(owned.email, password, api.url);
});

const toWord = (status: number) => (status < 500 ? 'ok' : status);

const body = { url: 'https://example.com/' };
const submit = (headers: Record<string, string> = {}, base = api.url, { key } = owned) =>
  call(scrapePath, { key, body, headers: { Prefer: 'respond-async', ...headers } }, base);

/** One call of each kind that asks a store, by what it is. */
function everyCall(jobId: string): [string, () => Promise<Answer<Record<string, any>>>][] {
  const ask = (path: string, options: Options = {}) => call(path, { key: owned.key, ...options }, api.url);
  const manage = (path: string, options: Options = {}) =>
    ask(path, { ...options, key: null, headers: { Cookie: cookie } });
  return [
    ['a job', () => submit()],
    ['a job with a key of its own', () => submit({ 'Idempotency-Key': 'silence' })],
    ['the job', () => ask(`/api/proxy/jobs/${jobId}`)],
    ['the jobs', () => ask('/api/proxy/jobs')],
    ['an end', () => ask(`/api/proxy/jobs/${jobId}`, { method: 'DELETE' })],
    ['a screenshot', () => ask(`/api/proxy/web/v1/screenshot/${jobId}`)],
    ['the profile', () => ask('/api/proxy/web/v1/profile')],
    ['the health', () => ask('/api/proxy/web/v1/healthz')],
    ['the readiness', () => ask('/readyz', { key: null })],
    ['whether a key holds', () => ask('/api/keys/validate', { method: 'POST' })],
    ['the keys', () => manage('/api/keys')],
    ['a new key', () => manage('/api/keys', { body: { name: 'x' } })],
    ['the usage', () => manage(`/api/keys/${owned.id}/usage`)],
    ['the users', () => manage('/api/admin/users')],
    [
      'a sign-in',
      () => ask('/api/auth/sign-in/email', { key: null, body: { email: owned.email, password } }),
    ],
    ['the session', () => manage('/api/auth/get-session')],
  ];
}

describe('a Postgres that hangs', () => {
  test('is a 503 for every kind of call, soon, and none of them is left behind when it goes on', async () => {
    const { body: answer } = await submit();
    const calls = everyCall(answer['data'].id);
    const askAll = () =>
      Promise.all(calls.map(async ([what, ask]) => `${what}: ${toWord((await ask()).status)}`));
    // No worker is there.
    const allWell = calls.map(([what]) => `${what}: ${what === 'the readiness' ? 503 : 'ok'}`);
    expect(await askAll()).toEqual(allWell);
    toPostgres.hang();
    const tooLate = new Promise<never>((_resolve, reject) =>
      setTimeout(() => reject(new Error('Some are still not answered')), 30_000),
    );
    try {
      expect(await Promise.race([askAll(), tooLate])).toEqual(calls.map(([what]) => `${what}: 503`));
    } finally {
      toPostgres.pass();
    }
    await expect.poll(async () => (await submit()).status, { timeout: 15_000 }).toBe(202);
    expect(await askAll()).toEqual(allWell);
  }, 120_000);
});

test('a Postgres that falls silent while a job is waited for: the 503 says that the job goes on', async () => {
  await cluster.db.deleteFrom('jobs').execute();
  const asked = submit({ Prefer: 'wait=6' });
  const rows = () => cluster.db.selectFrom('jobs').select('id').execute();
  await expect.poll(rows, { interval: 20 }).toHaveLength(1);
  const [row] = await rows();
  // The API has heard of it too by then.
  await sleep(2_000);
  toPostgres.hang();
  const answer = await asked;
  toPostgres.cut();
  toPostgres.pass();
  expect(answer.headers.get('x-job-id')).toBe(row?.id);
  expect(answer.body).toMatchObject({ status: 503, code: 'unavailable' });
  expect(answer.body['detail']).toContain(`GET /api/proxy/jobs/${row?.id}`);
}, 60_000);

test('a connection to Postgres that breaks within a transaction is a 503 too', async () => {
  await cluster.db.transaction().execute(async (trx) => {
    // A new key waits for its owner's row.
    await trx.selectFrom('users').select('id').where('id', '=', owned.userId).forUpdate().execute();
    const headers = { Cookie: cookie };
    const answer = call('/api/keys', { key: null, headers, body: { name: 'x' } }, api.url);
    const waiting = async () => {
      const { rows } = await sql`
        select from pg_stat_activity
        where wait_event_type = 'Lock' and query like '%for no key update%'`.execute(cluster.db);
      return rows.length;
    };
    await expect.poll(waiting, { interval: 50 }).toBe(1);
    toPostgres.cut();
    expect((await answer).body).toMatchObject({ status: 503, code: 'unavailable' });
  });
});

describe('a Redis that is full', () => {
  test('is a 503 for what is counted; all else goes on, and so does this when there are free slots', async () => {
    const { body: answer } = await submit();
    const calls = new Map(everyCall(answer['data'].id));
    isFull = true;
    try {
      const refused = await calls.get('a job')!();
      expect(refused.body).toMatchObject({ status: 503, code: 'unavailable', retryable: true });
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(refused.headers.get('x-job-id')).toBeNull();
      const health = await calls.get('the health')!();
      expect(health.body['data']).toMatchObject({
        status: 'down',
        checks: { postgres: 'ok', redis: 'down' },
      });
      for (const what of ['the job', 'the profile', 'whether a key holds', 'a new key', 'the usage'])
        expect((await calls.get(what)!()).status, what).toBeLessThan(300);
    } finally {
      isFull = false;
    }
    expect((await submit()).status).toBe(202);
    const { body: profile } = await calls.get('the profile')!();
    expect(profile['data']).toMatchObject({ key: { used: 2 }, jobs: { queued: 2 } });
  });
});

test('a use whose connection to Redis breaks is refused then, not when its time is over', async () => {
  const onError = () => undefined;
  await using disposables = new AsyncDisposableStack();
  const takes = disposables.adopt(
    createRedis({ urls: [toRedis.url], isCluster: false, onError, hearsLate: true }),
    (it) => it.disconnect(),
  );
  await takes.connect();
  const allowances = createAllowances(takes, cluster.db);
  const use = {
    allowanceId: owned.id,
    keyId: owned.id,
    userId: owned.userId,
    operation: 'web.scrape',
    jobId: createId(),
  };
  const limits = { perKey: 10, perUser: 10 };
  await allowances.take(use, limits);
  toRedis.hang();
  const refused = allowances.take({ ...use, jobId: createId() }, limits).catch((error: unknown) => error);
  await sleep(50);
  toRedis.cut();
  toRedis.pass();
  const why = await refused;
  expect(String(why)).toMatch('Connection is closed');
  expect(isRedisAway(why)).toBe(true);
  // Those of the API are back.
  await expect.poll(async () => (await submit()).status, { timeout: 15_000 }).toBe(202);
});

test('a window that Postgres is slow to tell is waited for: Redis is not to blame', async () => {
  const answer = await cluster.db.transaction().execute(async (trx) => {
    await sql`lock table key_usage in access exclusive mode`.execute(trx);
    const asked = submit();
    await sleep(2_500);
    return { asked };
  });
  expect((await answer.asked).body).toMatchObject({ data: { status: 'queued' } });
});

test('a job that failed because something was away is a 503 that says when to ask again, too', async () => {
  const headers = { 'Idempotency-Key': 'away' };
  const { body: accepted } = await submit(headers);
  await cluster.db
    .updateTable('jobs')
    .set({ status: 'failed', error: JSON.stringify({ code: 'unavailable', detail: 'No browser.' }) })
    .set({ finished_at: sql<Date>`now()`, expires_at: sql<Date>`now() + interval '1 hour'` })
    .where('id', '=', accepted['data'].id)
    .execute();
  const answer = await call(scrapePath, { key: owned.key, body, headers }, api.url);
  expect(answer.body).toMatchObject({ status: 503, code: 'unavailable', detail: 'No browser.' });
  expect(answer.headers.get('retry-after')).toBe(String(answer.body['retryAfterSeconds']));
});

/** Jobs of the user that have ended in the last seconds, evenly. */
async function letEnd(userId: string, { perSecond, seconds }: { perSecond: number; seconds: number }) {
  await sql`
    insert into jobs (id, user_id, operation, queue, input, input_hash, timeout_ms, status, finished_at, expires_at)
    select gen_random_uuid(), ${userId}, 'web.scrape', 'http', '{}', '\\x00', 1000, 'succeeded', at, at + interval '168 hours'
    from generate_series(0, ${perSecond * seconds - 1}) as n
    cross join lateral (select now() - n * ${1_000 / perSecond} * interval '1 millisecond' as at)`.execute(
    cluster.db,
  );
}

test('who is refused for too many jobs is told to come back when ten slots are free, as jobs have ended of late', async () => {
  const { url } = await cluster.startApi({ PENDING_JOBS_PER_USER: '3', QUEUE_BOUND: '5' });
  const other = await cluster.createKey(1_000);
  await cluster.db.deleteFrom('jobs').execute();
  const ask = async (by: OwnedKey) => {
    const { status, body: refused, headers } = await submit({}, url, by);
    if (status === 202) return 'accepted';
    expect(String(refused['retryAfterSeconds'])).toBe(headers.get('retry-after'));
    return [refused['code'] as string, Number(headers.get('retry-after'))];
  };
  for (let n = 0; n < 3; n++) expect(await ask(owned)).toBe('accepted');
  for (let n = 0; n < 2; n++) expect(await ask(other)).toBe('accepted');
  // Nothing has ended: nobody knows.
  expect(await ask(other)).toEqual(['overloaded', 10]);
  await letEnd(owned.userId, { perSecond: 2, seconds: 10 });
  // Five, and more where time has passed since.
  const isRight = (seconds: unknown) => Number(seconds) >= 4 && Number(seconds) < 10;
  const [code, seconds] = await ask(other);
  expect([code, isRight(seconds)]).toEqual(['overloaded', true]);

  await sql`delete from jobs where user_id = ${other.userId}`.execute(cluster.db);
  await letEnd(other.userId, { perSecond: 20, seconds: 10 });
  await expect.poll(() => ask(owned), { interval: 250 }).toEqual(['too_many_jobs', expect.any(Number)]);
  const [, ofOwn] = await ask(owned);
  expect(isRight(ofOwn)).toBe(true);
});

const insertQueued = async ({ userId }: OwnedKey, count: number, isDispatched: boolean) =>
  await sql`
    insert into jobs (id, user_id, operation, queue, input, input_hash, timeout_ms, dispatched_at)
    select gen_random_uuid(), ${userId}, 'web.scrape', 'http', '{}', '\\x00', 1000, ${isDispatched ? sql`now()` : null}
    from generate_series(1, ${count})`.execute(cluster.db);

test('what is in the backlogs of some users keeps nobody else out, what is dispatched does', async () => {
  const { url } = await cluster.startApi({ QUEUE_BOUND: '20' });
  const [first, second, other] = await Promise.all([1, 2, 3].map(() => cluster.createKey(1_000)));
  await cluster.db.deleteFrom('jobs').execute();
  for (const user of [first!, second!]) {
    await insertQueued(user, 5, true);
    await insertQueued(user, 200, false);
  }
  expect((await submit({}, url, other)).status).toBe(202);
  await insertQueued(owned, 10, true);
  // A sample is good for a quarter of a second.
  await expect
    .poll(async () => (await submit({}, url, other)).body, { interval: 100 })
    .toMatchObject({ status: 503, code: 'overloaded' });
});

test('an API that was ready stays so while Redis is silent, and tells of it', async () => {
  const onError = () => undefined;
  const redis = createRedis({ urls: [toRedis.url], isCluster: false, onError, hearsLate: true });
  await redis.connect();
  const { readiness } = createHealth(cluster.db, redis, []);
  const down = { status: 'down', redis: 'down' };
  try {
    toRedis.hang();
    expect(await readiness()).toMatchObject({ ready: false, ...down });
    toRedis.pass();
    await expect.poll(readiness, { timeout: 15_000 }).toMatchObject({ ready: true, redis: 'ok' });
    toRedis.hang();
    await expect.poll(readiness, { timeout: 15_000, interval: 500 }).toMatchObject({ ready: true, ...down });
  } finally {
    toRedis.pass();
    redis.disconnect();
  }
  await expect.poll(async () => (await submit()).status, { timeout: 15_000 }).toBe(202);
}, 60_000);

test('requests at the same time through two processes never pass the bounds of their user', async () => {
  const env = { PENDING_JOBS_PER_USER: '30', DATABASE_POOL: '40' };
  const apis = await Promise.all([cluster.startApi(env), cluster.startApi(env)]);
  const asked = await cluster.db.transaction().execute(async (trx) => {
    // Until all have come, none is inserted.
    await sql`lock table jobs in share mode`.execute(trx);
    const requests = Array.from({ length: 120 }, (_, n) => submit({}, apis[n % 2]!.url));
    const waiting = async () => (await sql`select from pg_locks where not granted`.execute(trx)).rows.length;
    // One statement of each process has those that came first; the others come meanwhile.
    await expect.poll(waiting, { timeout: 30_000 }).toBeGreaterThanOrEqual(2);
    await sleep(1_500);
    return { requests };
  });
  const answers = await Promise.all(asked.requests);
  expect(answers.filter(({ status }) => status === 202)).toHaveLength(30);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202, 429]));
  const { rows } = await sql<{ dispatched: number; turns: number }>`
    select count(dispatched_at)::int as dispatched, max(max_concurrent_jobs) as turns from jobs join licenses using (user_id)
    where user_id = ${owned.userId}`.execute(cluster.db);
  expect(rows[0]?.dispatched).toBe(rows[0]?.turns);
});

test('the operations of a queue share its slots, also while the rows of those let in are still to be seen', async () => {
  const { url } = await cluster.startApi({ QUEUE_BOUND: '20', DATABASE_POOL: '40' });
  await cluster.db.deleteFrom('jobs').execute();
  const paths = ['scrape', 'url/is-alive', 'url/get-url-after-redirects', 'scrape/links-map'];
  let refused = 0;
  const ask = async (path: string): Promise<number> => {
    const options = { key: owned.key, body, headers: { Prefer: 'respond-async' } };
    const { status } = await call(`/api/proxy/web/v1/${path}`, options, url);
    if (status === 503) refused += 1;
    return status;
  };
  const wave = () => Array.from({ length: 40 }, (_, n) => ask(paths[n % 4]!));
  const answers = await cluster.db.transaction().execute(async (trx) => {
    // Rows can be counted, but none can be inserted.
    await sql`lock table jobs in share row exclusive mode`.execute(trx);
    const refusedNow = async () => {
      // A transaction that does nothing for long is ended.
      await sql`select`.execute(trx);
      return refused;
    };
    const first = wave();
    await expect.poll(refusedNow, { timeout: 30_000 }).toBe(20);
    // Longer than a sample of the queue is good for.
    await sleep(400);
    const asked = [...first, ...wave()];
    await expect.poll(refusedNow, { timeout: 30_000 }).toBe(60);
    return asked;
  });
  const statuses = await Promise.all(answers);
  expect(statuses.filter((status) => status === 202)).toHaveLength(20);
});
