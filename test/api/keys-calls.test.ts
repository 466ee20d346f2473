import { beforeAll, beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest';
import { createDb } from '../../src/shared/db/client.ts';
import { createId } from '../../src/shared/ids.ts';
import { call } from '../support/client.ts';
import { keepToOneDay } from '../support/one-day.ts';
import { environmentOf } from '../support/processes.ts';
import { createSignedIn, type SignedIn } from '../support/session.ts';

let owner: SignedIn;
let admin: SignedIn;
let unlicensed: SignedIn;
beforeAll(async () => {
  [owner, admin, unlicensed] = await Promise.all([
    createSignedIn({ plan: 'scale' }),
    createSignedIn({ admin: true }),
    createSignedIn(),
  ]);
});

type Options = NonNullable<Parameters<typeof call>[1]>;

/** With a session in place of a key. */
const as = ({ cookie }: SignedIn, path: string, options: Options = {}) =>
  call(path, { ...options, key: null, headers: { Cookie: cookie, ...options.headers } });

const create = async (who: SignedIn, body: unknown = { name: 'Test' }) =>
  (await as(who, '/api/keys', { body })).body;
const validate = (key: string, headers: Record<string, string> = { 'X-API-Key': key }) =>
  call('/api/keys/validate', { method: 'POST', key: null, headers });

const noSuchId = '01a1f9e6-0000-7000-8000-000000000000';

describe('POST /api/keys', () => {
  test('answers 201 with the key, once and never cached', async () => {
    const { status, headers, body } = await as(owner, '/api/keys', { body: { name: '  Build server ' } });
    expect(status).toBe(201);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      key: expect.stringMatching(/^svc_live_[0-9A-Za-z]{50}$/),
      name: 'Build server',
      message: expect.stringContaining('only once'),
      prefix: 'svc_live',
      keyPreview: 'svc_live...****',
      rateLimit: 10_000,
      expiresAt: null,
      createdAt: expect.stringMatching(/Z$/),
      scopes: null,
      allowedAddresses: null,
      metadata: null,
    });
    const shown = JSON.stringify((await as(owner, `/api/keys/${body['id']}`)).body);
    expect(shown).not.toContain(body['key']);
  });

  test('takes an expiry of at most two years, and the key is refused from then on', async () => {
    const soon = new Date(Date.now() + 5_000);
    const made = await create(owner, { name: 'Short', expiresAt: soon.toISOString() });
    expect(made['expiresAt']).toBe(soon.toISOString());
    expect((await validate(made['key'])).body).toMatchObject({ valid: true, expiresAt: soon.toISOString() });
    const refusedAs = async () => (await validate(made['key'])).body['code'];
    await expect.poll(refusedAs, { timeout: 20_000 }).toBe('key_expired');
    const { key } = (await as(owner, `/api/keys/${made['id']}`)).body;
    expect(key).toMatchObject({ status: 'expired', isActive: false });
    const rotated = await as(owner, `/api/keys/${made['id']}/rotate`, { method: 'POST' });
    expect(rotated.body).toMatchObject({ status: 400, code: 'key_inactive' });
  });

  test.each<[string, unknown, string]>([
    ['no name', {}, 'name'],
    ['an empty name', { name: '   ' }, 'name'],
    ['a name of 101 characters', { name: 'x'.repeat(101) }, 'name'],
    ['an expiry in the past', { name: 'x', expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
    ['an expiry in three years', { name: 'x', expiresAt: '2099-01-01T00:00:00Z' }, 'expiresAt'],
    ['an expiry that is no time', { name: 'x', expiresAt: 'tomorrow' }, 'expiresAt'],
    ['an unknown field', { name: 'x', rateLimit: 5 }, 'rateLimit'],
  ])('400 for %s', async (_what, body, path) => {
    const answer = await as(owner, '/api/keys', { body });
    expect(answer.body).toMatchObject({ status: 400, code: 'invalid_request', errors: [{ path }] });
  });

  test('403 without a license, 403 past the number of keys of the plan, however many ask at once', async () => {
    expect((await as(unlicensed, '/api/keys', { body: { name: 'x' } })).body).toMatchObject({
      status: 403,
      code: 'license_required',
    });
    const small = await createSignedIn({ plan: 'tiny' });
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, n) => as(small, '/api/keys', { body: { name: `${n}` } })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 403, 403, 403, 403]);
    expect(answers.find(({ status }) => status === 403)?.body).toMatchObject({ code: 'forbidden' });
    const [one] = (await as(small, '/api/keys')).body['keys'];
    await as(small, `/api/keys/${one.id}/revoke`, { method: 'POST' });
    expect((await as(small, '/api/keys', { body: { name: 'again' } })).status).toBe(201);
  });
});

describe('every call that takes the session', () => {
  const calls: [string, string, Options][] = [
    ['create', '/api/keys', { body: { name: 'x' } }],
    ['list', '/api/keys', {}],
    ['get', `/api/keys/${noSuchId}`, {}],
    ['delete', `/api/keys/${noSuchId}`, { method: 'DELETE' }],
    ['rotate', `/api/keys/${noSuchId}/rotate`, { method: 'POST' }],
    ['revoke', `/api/keys/${noSuchId}/revoke`, { method: 'POST' }],
    ['usage', `/api/keys/${noSuchId}/usage`, {}],
  ];
  const changing = calls.filter(([name]) => ['create', 'delete', 'rotate', 'revoke'].includes(name));
  const byId = calls.filter(([, path]) => path.includes(noSuchId));

  test.each(calls)('%s: 401 without one, also with a good API key', async (_name, path, options) => {
    expect((await call(path, options)).body).toMatchObject({ status: 401, code: 'unauthenticated' });
  });

  test.each(changing)('%s: 403 from a foreign origin', async (_name, path, options) => {
    for (const Origin of ['https://evil.test', 'null']) {
      const answer = await as(owner, path, { ...options, headers: { Origin } });
      expect(answer.body).toMatchObject({ status: 403, code: 'forbidden' });
    }
  });

  test.each(byId)(
    "%s: another user's key is 404, and so is an id that is none",
    async (_name, path, options) => {
      const theirs = await create(owner);
      for (const id of [theirs['id'], noSuchId, 'not-an-id'])
        expect((await as(unlicensed, path.replace(noSuchId, id), options)).body).toMatchObject({
          status: 404,
          code: 'not_found',
        });
      expect((await validate(theirs['key'])).status).toBe(200);
    },
  );

  test('the own origin is accepted', async () => {
    const Origin = inject('stack').url;
    const answer = await as(owner, '/api/keys', { body: { name: 'x' }, headers: { Origin } });
    expect(answer.status).toBe(201);
  });
});

describe('GET /api/keys', () => {
  test('lists the own keys, newest first, with their state', async () => {
    const someone = await createSignedIn({ plan: 'free' });
    const first = await create(someone, { name: 'first' });
    const second = await create(someone, { name: 'second' });
    await as(someone, `/api/keys/${first['id']}/revoke`, { method: 'POST' });
    const { body } = await as(someone, '/api/keys');
    const common = {
      prefix: 'svc_live',
      keyPreview: 'svc_live...****',
      rateLimit: 100,
      lastUsedAt: null,
      usageCount: 0,
      expiresAt: null,
      createdAt: expect.any(String),
      scopes: null,
      allowedAddresses: null,
      metadata: null,
    };
    expect(body).toEqual({
      keys: [
        { ...common, id: second['id'], name: 'second', isActive: true, status: 'active' },
        { ...common, id: first['id'], name: 'first', isActive: false, status: 'revoked' },
      ],
    });
  });

  test('has all that are active, and the newest thousand of those in grace and of those that ended', async () => {
    const someone = await createSignedIn({ plan: 'free' });
    const oldest = await create(someone, { name: 'oldest' });
    const revoked = await create(someone, { name: 'revoked' });
    await as(someone, `/api/keys/${revoked['id']}/revoke`, { method: 'POST' });
    const { DATABASE_URL: url = '' } = environmentOf(inject('stack'));
    const db = createDb({ url, poolSize: 1, onError: () => undefined });
    onTestFinished(() => db.destroy());
    const addCopies = async (of: string) => {
      const row = await db.selectFrom('api_keys').selectAll().where('id', '=', of).executeTakeFirstOrThrow();
      const copies = Array.from({ length: 2_600 }, (_, n) => ({
        ...row,
        metadata: null,
        id: createId(),
        name: `copy ${n}`,
        lookup_id: createId(),
      }));
      for (let n = 0; n < 2_600; n += 650) {
        await db
          .insertInto('api_keys')
          .values(copies.slice(n, n + 650))
          .execute();
      }
    };
    await addCopies(revoked['id']);
    const list = async () => (await as(someone, '/api/keys')).body['keys'] as { id: string; name: string }[];
    const before = await list();
    expect(before).toHaveLength(1_001);
    expect(before.at(-1)?.id).toBe(oldest['id']);
    // The oldest of 2,601 go.
    const made = await create(someone, { name: 'made' });
    const { body } = await as(someone, `/api/keys/${revoked['id']}`);
    expect(body).toMatchObject({ status: 404 });
    const after = await list();
    expect(after[0]?.id).toBe(made['id']);
    expect(after.at(-1)?.id).toBe(oldest['id']);
    expect(after[1]?.name).toBe('copy 2599');
    await addCopies(made['id']);
    expect(await list()).toHaveLength(2_600 + 2 + 1_000);
    // Of those that were rotated and are still accepted, the newest thousand too.
    await db
      .updateTable('api_keys')
      .set({ grace_period_ends_at: new Date(Date.now() + 3_600_000) })
      .where('user_id', '=', someone.userId)
      .where('name', 'like', 'copy %')
      .where('revoked_at', 'is', null)
      .execute();
    const listed = await list();
    expect(listed).toHaveLength(1_000 + 2 + 1_000);
    expect(listed[0]?.name).toBe('copy 2599');
    expect(listed.at(-1)?.id).toBe(oldest['id']);
  });

  test('leaves out the oldest that ended where they come to more than 1 MiB, and not what is active', async () => {
    const someone = await createSignedIn({ plan: 'free' });
    const metadata = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`note ${n}`, 'x'.repeat(500)]));
    const oldest = await create(someone, { name: 'oldest', metadata });
    const ended = await create(someone, { name: 'ended', metadata });
    await as(someone, `/api/keys/${ended['id']}/revoke`, { method: 'POST' });
    const { DATABASE_URL: url = '' } = environmentOf(inject('stack'));
    const db = createDb({ url, poolSize: 1, onError: () => undefined });
    onTestFinished(() => db.destroy());
    const { metadata: _parsed, ...row } = await db
      .selectFrom('api_keys')
      .selectAll()
      .where('id', '=', ended['id'])
      .executeTakeFirstOrThrow();
    for (let n = 0; n < 200; n++) {
      const copy = { ...row, id: createId(), lookup_id: createId(), name: `copy ${n}` };
      await db
        .insertInto('api_keys')
        .values({ ...copy, metadata: JSON.stringify(metadata) })
        .execute();
    }
    const listed = (await as(someone, '/api/keys')).body['keys'] as { name: string; metadata: unknown }[];
    expect(listed.length).toBeGreaterThan(80);
    expect(listed.length).toBeLessThan(102);
    expect(listed[0]).toMatchObject({ name: 'copy 199', metadata });
    expect(listed.at(-1)).toMatchObject({ name: oldest['name'], metadata });
    expect((await as(someone, `/api/keys/${ended['id']}`)).body['key']).toMatchObject({ metadata });
  });

  test('viewAs is for admins', async () => {
    const { id } = await create(owner);
    const path = `/api/keys?viewAs=${owner.userId}`;
    const { body } = await as(admin, path);
    expect(body['keys'].map((key: { id: string }) => key.id)).toContain(id);
    expect((await as(owner, path)).body).toMatchObject({ status: 403, code: 'forbidden' });
    expect((await as(admin, `/api/keys?viewAs=${noSuchId}`)).status).toBe(404);
    expect((await as(admin, '/api/keys?viewAs=me')).status).toBe(404);
    expect((await as(admin, `/api/keys/${id}`)).status).toBe(404);
    expect((await as(owner, '/api/keys?page=2')).body).toMatchObject({ code: 'invalid_request' });
  });
});

test('keys are made 300 times an hour, also where they are deleted; then it is said when to ask again', async () => {
  const someone = await createSignedIn({ plan: 'free' });
  const { DATABASE_URL: url = '' } = environmentOf(inject('stack'));
  const db = createDb({ url, poolSize: 1, onError: () => undefined });
  onTestFinished(() => db.destroy());
  const made = (times: number, minutesAgo: number) => {
    const at = new Date(Date.now() - minutesAgo * 60_000);
    const entries = Array.from({ length: times }, () => ({
      id: createId(),
      user_id: someone.userId,
      actor_id: someone.userId,
      action: 'key.created' as const,
      key_id: null,
      address: null,
      details: null,
      at,
    }));
    return db.insertInto('audit_log').values(entries).execute();
  };
  await made(500, 61);
  await made(299, 30);
  const last = await as(someone, '/api/keys', { body: { name: 'last' } });
  expect(last.status).toBe(201);
  await as(someone, `/api/keys/${last.body['id']}`, { method: 'DELETE' });
  const refused = await as(someone, '/api/keys', { body: { name: 'one more' } });
  expect(refused.body).toMatchObject({ status: 429, code: 'too_many_attempts', retryable: true });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(1_700);
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(1_800);
});

describe('POST /api/keys/{id}/rotate', () => {
  test('both keys work for a day; the new one inherits name, limit and expiry', async () => {
    const expiresAt = new Date(Date.now() + 40 * 86_400_000).toISOString();
    const old = await create(owner, { name: 'Rotating', expiresAt });
    const { status, headers, body } = await as(owner, `/api/keys/${old['id']}/rotate`, { method: 'POST' });
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toEqual({
      id: expect.not.stringMatching(old['id']),
      key: expect.not.stringMatching(old['key']),
      message: expect.any(String),
      gracePeriodHours: 24,
      gracePeriodEndsAt: expect.any(String),
    });
    expect(Date.parse(body['gracePeriodEndsAt']) - Date.now()).toBeCloseTo(24 * 3_600_000, -5);
    expect((await validate(old['key'])).body).toMatchObject({ valid: true, isActive: true });
    expect((await validate(body['key'])).body).toMatchObject({
      name: 'Rotating',
      rateLimit: 10_000,
      expiresAt,
    });
    expect((await as(owner, `/api/keys/${old['id']}`)).body['key']).toMatchObject({
      status: 'grace',
      isActive: true,
      rotatedAt: expect.any(String),
      gracePeriodEndsAt: body['gracePeriodEndsAt'],
      rotatedToId: body['id'],
    });
    const again = await as(owner, `/api/keys/${old['id']}/rotate`, { method: 'POST' });
    expect(again.body).toMatchObject({ status: 400, code: 'key_inactive' });
  });

  test('a key that expires before the day is over is accepted until then', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const { id } = await create(owner, { name: 'Short', expiresAt });
    const { body } = await as(owner, `/api/keys/${id}/rotate`, { method: 'POST' });
    expect(body).toMatchObject({ gracePeriodHours: 24, gracePeriodEndsAt: expiresAt });
    expect(body['message']).toContain(`until ${expiresAt}`);
  });

  test('of many at the same time, one wins', async () => {
    const { id } = await create(owner);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => as(owner, `/api/keys/${id}/rotate`, { method: 'POST' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400]);
  });

  test('is refused past 30 an hour, also where the rotated keys are deleted, and then says when to ask again', async () => {
    const who = await createSignedIn({ plan: 'free' });
    let { id } = await create(who);
    for (let n = 0; n < 30; n++) {
      const { status, body } = await as(who, `/api/keys/${id}/rotate`, { method: 'POST' });
      expect(status).toBe(200);
      if (n < 5) await as(who, `/api/keys/${id}`, { method: 'DELETE' });
      ({ id } = body);
    }
    const refused = await as(who, `/api/keys/${id}/rotate`, { method: 'POST' });
    expect(refused.body).toMatchObject({ status: 429, code: 'too_many_attempts', retryable: true });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_000);
    // As many as a larger plan has keys, twice.
    const license = `/api/admin/users/${who.userId}/license`;
    expect((await as(admin, license, { method: 'PUT', body: { plan: 'scale' } })).status).toBe(200);
    const { status, body } = await as(who, `/api/keys/${id}/rotate`, { method: 'POST' });
    expect(status).toBe(200);
    ({ id } = body);
    expect((await as(who, `/api/keys/${id}/revoke`, { method: 'POST' })).status).toBe(200);
  });

  test('needs no license, and a revoked key cannot be rotated', async () => {
    const leaver = await createSignedIn({ plan: 'free' });
    const { id } = await create(leaver);
    await as(admin, `/api/admin/users/${leaver.userId}/license`, { method: 'DELETE' });
    expect((await as(leaver, '/api/keys', { body: { name: 'x' } })).body).toMatchObject({
      code: 'license_required',
    });
    const rotated = await as(leaver, `/api/keys/${id}/rotate`, { method: 'POST' });
    expect(rotated.status).toBe(200);
    await as(leaver, `/api/keys/${rotated.body['id']}/revoke`, { method: 'POST' });
    const refused = await as(leaver, `/api/keys/${rotated.body['id']}/rotate`, { method: 'POST' });
    expect(refused.body).toMatchObject({ status: 400, code: 'key_inactive' });
  });
});

describe('POST /api/keys/{id}/revoke and DELETE /api/keys/{id}', () => {
  test('revoke holds from the next request on, can be repeated, and does not touch the successor', async () => {
    const old = await create(owner);
    const next = (await as(owner, `/api/keys/${old['id']}/rotate`, { method: 'POST' })).body;
    for (let n = 0; n < 2; n++) {
      const { status, body } = await as(owner, `/api/keys/${old['id']}/revoke`, { method: 'POST' });
      expect(status).toBe(200);
      expect(body).toEqual({ success: true, message: expect.any(String) });
    }
    expect((await validate(old['key'])).body).toEqual({
      valid: false,
      error: expect.stringContaining('revoked'),
      code: 'key_revoked',
    });
    expect((await validate(next['key'])).status).toBe(200);
  });

  test('a deleted key stops at once and is gone', async () => {
    const { id, key } = await create(owner);
    expect((await as(owner, `/api/keys/${id}`, { method: 'DELETE' })).body).toEqual({ success: true });
    expect((await validate(key)).body).toMatchObject({ valid: false, code: 'key_invalid' });
    expect((await as(owner, `/api/keys/${id}`, { method: 'DELETE' })).status).toBe(404);
  });
});

describe('POST /api/keys/validate', () => {
  test('takes the key from either header and costs nothing', async () => {
    const { id, key } = await create(owner);
    for (const headers of [{ 'X-API-Key': key }, { Authorization: `Bearer ${key}` }]) {
      const answer = await validate(key, headers);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.body).toEqual({
        valid: true,
        userId: owner.userId,
        rateLimit: 10_000,
        isActive: true,
        keyId: id,
        name: 'Test',
        expiresAt: null,
        remaining: 10_000,
      });
    }
    const { rateLimit } = (await as(owner, `/api/keys/${id}/usage`)).body;
    expect(rateLimit).toMatchObject({ used: 0 });
  });

  test('answers every refusal with 401 and {valid, error, code}', async () => {
    const answers = [
      await validate('', {}),
      await validate('', { 'X-API-Key': 'svc_live_wrong' }),
      await call('/api/keys/validate?key=svc_live_x', { method: 'POST', key: null }),
    ];
    expect(answers.map(({ body }) => body['code'])).toEqual(['key_missing', 'key_invalid', 'key_missing']);
    for (const { status, body, headers } of answers) {
      expect(status).toBe(401);
      expect(body).toEqual({ valid: false, error: expect.any(String), code: expect.any(String) });
      expect(headers.get('www-authenticate')).toMatch(/^Bearer/);
    }
  });

  test('takes no body fields', async () => {
    const answer = await call('/api/keys/validate', { body: { key: 'x' } });
    expect(answer.body).toMatchObject({ status: 400, code: 'invalid_request' });
  });
});

describe('GET /api/keys/{id}/usage', () => {
  beforeEach(keepToOneDay);
  test('zero-fills the days, oldest first, today last', async () => {
    const { id } = await create(owner);
    const { status, body } = await as(owner, `/api/keys/${id}/usage`);
    expect(status).toBe(200);
    const dates = Array.from({ length: 7 }, (_, n) =>
      new Date(Date.now() - (6 - n) * 86_400_000).toISOString().slice(0, 10),
    );
    expect(body).toEqual({
      dailyUsage: dates.map((date) => ({ date, count: 0 })),
      totalUsageCount: 0,
      rateLimit: { limit: 10_000, used: 0, remaining: 10_000, windowHours: 1, resetAt: null },
      byOperation: [],
    });
    expect((await as(owner, `/api/keys/${id}/usage?days=30`)).body['dailyUsage']).toHaveLength(30);
    for (const days of ['0', '31', 'x', '1.5'])
      expect((await as(owner, `/api/keys/${id}/usage?days=${days}`)).body).toMatchObject({
        code: 'invalid_request',
      });
  });

  test('counts requests of a key and of its successor apart, on one allowance', async () => {
    const old = await create(owner);
    const next = (await as(owner, `/api/keys/${old['id']}/rotate`, { method: 'POST' })).body;
    const scrape = (key: string) =>
      call('/api/proxy/web/v1/scrape', {
        key,
        body: { url: 'http://127.0.0.1:8099/' },
        headers: { Prefer: 'respond-async' },
      });
    for (const key of [old['key'], old['key'], next['key']]) expect((await scrape(key)).status).toBe(202);
    const usage = async (id: string) => (await as(owner, `/api/keys/${id}/usage?days=1`)).body;
    await expect.poll(async () => (await usage(next['id']))['totalUsageCount'], { timeout: 15_000 }).toBe(1);
    await expect
      .poll(() => usage(old['id']), { timeout: 15_000 })
      .toMatchObject({
        dailyUsage: [{ count: 2 }],
        totalUsageCount: 2,
        rateLimit: { used: 3, remaining: 9_997 },
        byOperation: [{ operation: 'web.scrape', count: 2 }],
      });
    expect(await usage(next['id'])).toMatchObject({ rateLimit: { used: 3 }, dailyUsage: [{ count: 1 }] });
    const { key } = (await as(owner, `/api/keys/${old['id']}`)).body;
    expect(key['usageCount']).toBe(2);
    expect(Date.now() - Date.parse(key['lastUsedAt'])).toBeLessThan(60_000);
  });
});
