import { once } from 'node:events';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { grantLicense } from '../../src/shared/db/users.ts';
import { createId } from '../../src/shared/ids.ts';
import { createRedis } from '../../src/shared/redis.ts';
import { type AllowanceState, createAllowances } from '../../src/shared/usage/allowance.ts';
import { type ApiCluster, type OwnedKey, startApiCluster } from '../support/api-cluster.ts';
import { call, scrapePath } from '../support/client.ts';
import { keepToOneDay } from '../support/one-day.ts';
import { hammerRevokes } from '../support/revoke-hammer.ts';
import { signIn } from '../support/session.ts';

const hourMs = 3_600_000;
const metricsToken = 'token-of-the-metrics-test';

let cluster: ApiCluster;
let redis: Redis;
beforeAll(async () => {
  cluster = await startApiCluster({ processes: 4, env: { METRICS_TOKEN: metricsToken } });
  redis = createRedis({
    urls: [cluster.redisUrl],
    isCluster: false,
    onError: () => undefined,
    blocking: true,
  });
});
afterAll(async () => {
  redis?.disconnect();
  await cluster?.[Symbol.asyncDispose]();
});
beforeEach(keepToOneDay);

const anyApi = () => cluster.apis[Math.floor(Math.random() * cluster.apis.length)]!.url;

/** A counted request that no worker takes up. */
const use = (key: string, base = anyApi()) =>
  call(
    scrapePath,
    { key, body: { url: 'https://example.com/' }, headers: { Prefer: 'respond-async' } },
    base,
  );

/** @returns how many of `times` requests at once, spread over the processes, were accepted. */
async function burst(key: string, times: number): Promise<number> {
  const answers = await Promise.all(
    Array.from({ length: times }, (_, n) => use(key, cluster.apis[n % cluster.apis.length]!.url)),
  );
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status !== 202 && status !== 429)).toEqual([]);
  return statuses.filter((status) => status === 202).length;
}

async function usageOf({ id, cookie }: { id: string; cookie: string }, base = anyApi()) {
  const { status, body } = await call(
    `/api/keys/${id}/usage?days=1`,
    { key: null, headers: { Cookie: cookie } },
    base,
  );
  expect(status).toBe(200);
  const sum = (rows: { count: number }[]) => rows.reduce((total, row) => total + row.count, 0);
  return {
    total: body['totalUsageCount'] as number,
    daily: sum(body['dailyUsage']),
    byOperation: sum(body['byOperation']),
    used: body['rateLimit'].used as number,
  };
}

const password = 'correct horse battery';
const createOwned = async (rateLimit: number): Promise<OwnedKey & { cookie: string }> => {
  const owned = await cluster.createKey(rateLimit, password);
  return { ...owned, cookie: await signIn(owned.email, password, anyApi()) };
};

// The full size, 200 revokes under 32 connections, is bench/revoke.ts.
test('after the 200 of a revoke no process accepts the key', { timeout: 90_000 }, async () => {
  const owner = await createOwned(1_000);
  const result = await hammerRevokes(cluster, owner, { revokes: 60, connections: 16 });
  expect(result.acceptedAfterRevoke).toBe(0);
  expect(result.accepted).toBeGreaterThan(60);
  expect(result.refused).toBeGreaterThan(60);
});

describe('a key that a process has accepted a moment ago', () => {
  const [first, second] = [() => cluster.apis[0]!.url, () => cluster.apis[1]!.url];
  const broken = (key: string) => call(scrapePath, { key, body: { url: 5 } }, first());

  test('and that was revoked in another is refused as revoked, whatever is asked with it, and uses nothing', async () => {
    const owned = await createOwned(10);
    expect((await use(owned.key, first())).status).toBe(202);
    const headers = { Cookie: owned.cookie };
    expect(
      (await call(`/api/keys/${owned.id}/revoke`, { method: 'POST', key: null, headers }, second())).status,
    ).toBe(200);
    for (const answer of [
      await use(owned.key, first()),
      await broken(owned.key),
      await use(owned.key, first()),
    ]) {
      expect(answer).toMatchObject({ status: 401, body: { code: 'key_revoked' } });
      expect(answer.headers.get('RateLimit')).toBeNull();
    }
    expect(
      await createAllowances(redis, cluster.db).read(
        { allowanceId: owned.id, userId: owned.userId },
        { perKey: 10, perUser: 10 },
      ),
    ).toMatchObject({ key: { used: 1 } });
  });

  test('and that was deleted is unknown', async () => {
    const owned = await createOwned(10);
    expect((await use(owned.key, first())).status).toBe(202);
    const headers = { Cookie: owned.cookie };
    await call(`/api/keys/${owned.id}/revoke`, { method: 'POST', key: null, headers }, second());
    expect(
      (await call(`/api/keys/${owned.id}`, { method: 'DELETE', key: null, headers }, second())).status,
    ).toBe(200);
    expect(await use(owned.key, first())).toMatchObject({ status: 401, body: { code: 'key_invalid' } });
  });

  test('has the limit of a new license from the next request on', async () => {
    const owned = await createOwned(1);
    expect((await use(owned.key, first())).status).toBe(202);
    expect((await use(owned.key, first())).status).toBe(429);
    const terms = {
      name: 'scale',
      rateLimit: 5,
      userRateLimit: 50,
      maxConcurrentJobs: 2,
      maxKeys: 5,
      maxTokensPerDay: null,
      validUntil: null,
    };
    await grantLicense(cluster.db, owned.userId, terms);
    const answer = await use(owned.key, first());
    expect(answer.status).toBe(202);
    expect(answer.headers.get('RateLimit-Policy')).toBe('"hourly";q=5;w=3600, "user";q=50;w=3600');
    expect(answer.headers.get('RateLimit')).toMatch(/^"hourly";r=3;/);
    await grantLicense(cluster.db, owned.userId, { ...terms, rateLimit: 2 });
    expect((await use(owned.key, first())).status).toBe(429);
  });
});

test('the clock ends the grace period, a key and a license, in every process', async () => {
  const owned = await createOwned(100);
  const cookie = { Cookie: owned.cookie };
  const rotated = await call(
    `/api/keys/${owned.id}/rotate`,
    { method: 'POST', key: null, headers: cookie },
    anyApi(),
  );
  const next = rotated.body;
  const change = (id: string, times: { grace_period_ends_at?: Date; expires_at?: Date }) =>
    cluster.db.updateTable('api_keys').set(times).where('id', '=', id).execute();
  const validateAll = async (key: string) =>
    await Promise.all(
      cluster.apis.map(async ({ url }) => {
        const { status, body } = await call('/api/keys/validate', { method: 'POST', key }, url);
        return status === 200 ? 'valid' : body['code'];
      }),
    );
  const stateOf = async (id: string) =>
    (await call(`/api/keys/${id}`, { key: null, headers: cookie }, anyApi())).body['key'];

  await change(owned.id, { grace_period_ends_at: new Date(Date.now() + 60_000) });
  expect(new Set(await validateAll(owned.key))).toEqual(new Set(['valid']));
  await change(owned.id, { grace_period_ends_at: new Date(Date.now() - 1) });
  expect(new Set(await validateAll(owned.key))).toEqual(new Set(['key_expired']));
  expect(await stateOf(owned.id)).toMatchObject({
    status: 'expired',
    isActive: false,
    rotatedToId: next['id'],
  });
  expect((await use(owned.key)).body).toMatchObject({ status: 401, code: 'key_expired' });
  const again = await call(
    `/api/keys/${owned.id}/rotate`,
    { method: 'POST', key: null, headers: cookie },
    anyApi(),
  );
  expect(again.body).toMatchObject({ code: 'key_inactive' });

  expect(new Set(await validateAll(next['key']))).toEqual(new Set(['valid']));
  await change(next['id'], { expires_at: new Date(Date.now() - 1) });
  expect(new Set(await validateAll(next['key']))).toEqual(new Set(['key_expired']));

  const create = () => call('/api/keys', { key: null, headers: cookie, body: { name: 'x' } }, anyApi());
  expect((await create()).status).toBe(201);
  await cluster.db
    .updateTable('licenses')
    .set({ valid_until: new Date(Date.now() - 1) })
    .where('user_id', '=', owned.userId)
    .execute();
  expect((await create()).body).toMatchObject({ code: 'license_required' });
});

/** Lets `ms` pass for an allowance: all its stamps are that much older. */
async function letPass(allowanceId: string, ms: number): Promise<void> {
  const list = `quarry:allowance:${allowanceId}`;
  const stamps = await redis.lrange(list, 0, -1);
  await redis
    .multi()
    .del(list)
    .rpush(list, ...stamps.map((stamp) => Math.max(0, Number(stamp) - ms)))
    .exec();
}

test('in any hour exactly the limit is accepted, by four processes together, and all of it can be used', async () => {
  const limit = 40;
  const { key, id } = await cluster.createKey(limit);
  /** When each accepted request was, on the simulated clock. */
  const log: number[] = [];
  let skippedMs = 0;
  const stampsOf = async () => (await redis.lrange(`quarry:allowance:${id}`, 0, -1)).map(Number);
  const freeAt = (now: number) => limit - log.filter((at) => at > now - hourMs).length;

  for (const minutes of [0, 7, 29, 25, 13, 61, 17, 11, 33, 2, 58]) {
    if (minutes > 0) await letPass(id, minutes * 60_000);
    skippedMs += minutes * 60_000;
    const wanted = minutes % 2 === 0 ? limit + 10 : 15;
    const start = Date.now() + skippedMs;
    const accepted = await burst(key, wanted);
    const end = Date.now() + skippedMs;
    const fresh = (await stampsOf()).slice(-accepted || undefined).map((stamp) => stamp + skippedMs);
    expect(accepted).toBeGreaterThanOrEqual(Math.min(wanted, freeAt(start)));
    expect(accepted).toBeLessThanOrEqual(Math.min(wanted, freeAt(end)));
    if (accepted > 0) log.push(...fresh);
  }
  const busiest = Math.max(
    ...log.map((at) => log.filter((other) => other > at - hourMs && other <= at).length),
  );
  expect(busiest).toBe(limit);
});

test('an allowance of 1,000 costs at most 16 KB of Redis memory', async () => {
  const { id } = await cluster.createKey(1_000);
  const list = `quarry:allowance:${id}`;
  await redis.rpush(list, ...Array.from({ length: 1_000 }, (_, n) => Date.now() - n));
  const bytes = Buffer.byteLength(JSON.stringify(await redis.lrange(list, 0, -1)));
  // The bundled Redis does not know MEMORY USAGE; a real one says 10.5 KB.
  const usage = await redis.memory('USAGE', list).catch(() => bytes);
  expect(usage).toBeLessThanOrEqual(16 * 1_024);
});

describe('every counted request is in the record', () => {
  test('across kill -9 of an API process', async () => {
    const owned = await createOwned(100_000);
    const victim = await cluster.startApi();
    const clients = 8;
    let answered = 0;
    const enough = new AbortController();
    const client = async () => {
      while (!enough.signal.aborted) {
        const accepted = await use(owned.key, Math.random() < 0.5 ? victim.url : anyApi()).then(
          ({ status }) => status === 202,
          () => false, // the killed process
        );
        if (accepted) answered += 1;
      }
    };
    const working = Array.from({ length: clients }, client);
    await expect.poll(() => answered, { timeout: 20_000 }).toBeGreaterThan(100);
    victim.process.kill('SIGKILL');
    await once(victim.process, 'exit');
    const before = answered;
    await expect.poll(() => answered, { timeout: 20_000 }).toBeGreaterThan(before + 50);
    enough.abort();
    await Promise.all(working);

    const { used } = await usageOf(owned);
    expect(used).toBeGreaterThanOrEqual(answered);
    expect(used).toBeLessThanOrEqual(answered + clients);
    await expect
      .poll(() => usageOf(owned), { timeout: 10_000 })
      .toEqual({ total: used, daily: used, byOperation: used, used });
  });

  test('a use that is given back leaves it again, and leaves the allowance usable', async () => {
    const owned = await createOwned(5);
    const allowances = createAllowances(redis, cluster.db);
    const taken = {
      allowanceId: owned.id,
      keyId: owned.id,
      userId: owned.userId,
      operation: 'web.scrape',
      jobId: createId(),
    };
    const { stamp } = await allowances.take(taken, { perKey: 5, perUser: 5 });
    await expect.poll(async () => (await usageOf(owned)).total, { timeout: 15_000 }).toBe(1);
    await allowances.giveBack(taken, stamp!);
    expect(await allowances.read(taken, { perKey: 5, perUser: 5 })).toMatchObject({
      key: { used: 0, remaining: 5 },
      user: { used: 0, remaining: 5 },
    });
    expect(await burst(owned.key, 8)).toBe(5);
    await expect
      .poll(() => usageOf(owned), { timeout: 15_000 })
      .toEqual({ total: 5, daily: 5, byOperation: 5, used: 5 });
  });
});

test('where a limit was lowered, the next use is free once enough of the old ones have left', async () => {
  const owned = await createOwned(5);
  const whose = { allowanceId: owned.id, userId: owned.userId };
  const one = { ...whose, keyId: owned.id, operation: 'web.scrape', jobId: createId() };
  const allowances = createAllowances(redis, cluster.db);
  const limits = { perKey: 9, perUser: 9 };
  for (let n = 0; n < 4; n++) await allowances.take(one, limits);
  for (const list of await redis.keys(`*allowance:*${owned.id}`))
    await redis.lset(list, 0, Date.now() - 3_000_000);
  for (const list of await redis.keys(`*allowance:*${owned.userId}`)) {
    for (const [n, minutes] of [50, 40, 30].entries())
      await redis.lset(list, n, Date.now() - minutes * 60_000);
  }
  const lowered = { perKey: 3, perUser: 2 };
  const minutesOf = ({ key, user }: AllowanceState) =>
    [key, user].map(({ resetMs }) => Math.round((resetMs ?? 0) / 60_000));
  // The second of the key's four, and the third of the user's.
  for (const state of [await allowances.take(one, lowered), await allowances.read(whose, lowered)])
    expect(minutesOf(state)).toEqual([60, 30]);
  expect(minutesOf(await allowances.read(whose, limits))).toEqual([10, 10]);
});

describe('Redis away and back, empty', () => {
  test('a Redis that loses its data again and again lets nobody past the limit', async () => {
    const owned = await createOwned(60);
    const [{ url } = { url: '' }] = cluster.apis;
    let asked = 0;
    let accepted = 0;
    const client = async () => {
      while (asked < 180) {
        asked += 1;
        if (asked % 15 === 0) await redis.flushall();
        if ((await use(owned.key, url)).status === 202) accepted += 1;
      }
    };
    await Promise.all(Array.from({ length: 8 }, client));
    expect(accepted).toBe(60);
  });

  test('keys work on, counted requests wait; then the window is rebuilt from the record', async () => {
    const owned = await createOwned(30);
    expect(await burst(owned.key, 12)).toBe(12);
    await expect.poll(async () => (await usageOf(owned)).total, { timeout: 15_000 }).toBe(12);

    await cluster.killRedis();
    try {
      const refused = await use(owned.key);
      expect(refused.body).toMatchObject({ status: 503, code: 'unavailable' });
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      const valid = await call('/api/keys/validate', { method: 'POST', key: owned.key }, anyApi());
      expect(valid.body).toMatchObject({ valid: true, remaining: 18 });
      const profile = await call('/api/proxy/web/v1/profile', { key: owned.key }, anyApi());
      expect(profile.body['data']).toMatchObject({ key: { used: 12, remaining: 18 }, usage: { today: 12 } });
      expect(await usageOf(owned)).toEqual({ total: 12, daily: 12, byOperation: 12, used: 12 });
      expect(await signIn(owned.email, password, anyApi())).toContain('session_token');
    } finally {
      await cluster.restartRedis();
    }
    // Each process connects again in its own time.
    for (const { url } of cluster.apis) {
      await expect.poll(async () => (await use(owned.key, url)).status, { timeout: 10_000 }).toBe(202);
    }
    expect(await burst(owned.key, 40)).toBe(18 - cluster.apis.length);
    expect((await usageOf(owned)).used).toBe(30);
  });
});

describe('metrics of several API processes', () => {
  const read = async (token: string) =>
    await fetch(new URL('/metrics', anyApi()), { headers: { Authorization: `Bearer ${token}` } });

  test('any of them answers for all, to whoever has the token', async () => {
    await vi.waitFor(
      async () => {
        const text = await (await read(metricsToken)).text();
        expect(text.match(/^process_resident_memory_bytes\{/gm)).toHaveLength(cluster.apis.length);
      },
      { timeout: 15_000, interval: 250 },
    );
  });

  test('a wrong token is refused, also on the same machine', async () => {
    expect((await read('another-token-than-that')).status).toBe(403);
  });
});
