import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { withDatabase } from '../../src/embedded/with-database.ts';
import { createDb } from '../../src/shared/db/client.ts';
import { deleteEndedSessions } from '../../src/shared/db/sessions.ts';
import { call } from '../support/client.ts';
import { runAdmin } from '../support/service.ts';
import { createSignedIn, signIn, type SignedIn } from '../support/session.ts';

let user: SignedIn;
let admin: SignedIn;
beforeAll(async () => {
  [user, admin] = await Promise.all([createSignedIn(), createSignedIn({ admin: true })]);
});

type Options = NonNullable<Parameters<typeof call>[1]>;
const anonymous = (path: string, options: Options = {}) => call(path, { ...options, key: null });
const as = ({ cookie }: SignedIn, path: string, options: Options = {}) =>
  anonymous(path, { ...options, headers: { Cookie: cookie, ...options.headers } });
const isSignedIn = async (who: SignedIn) => (await as(who, '/api/keys')).status === 200;

test('the page of an error shows what the request said, and lets it do nothing', async () => {
  const { url } = inject('stack');
  const page = await fetch(
    new URL('/api/auth/error?error=<script>alert(1)</script>&error_description=<b>x', url),
  );
  expect(page.headers.get('content-security-policy')).toMatch(
    /^default-src 'none';.*frame-ancestors 'none'$/,
  );
  expect(page.headers.get('x-content-type-options')).toBe('nosniff');
  expect(await page.text()).not.toContain('<script>alert');
});

describe('sign-in', () => {
  test('sets a cookie that scripts cannot read and other sites cannot send', async () => {
    const { email, password } = user;
    const { status, headers, body } = await anonymous('/api/auth/sign-in/email', {
      body: { email: email.toUpperCase(), password },
    });
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    const [cookie = ''] = headers.getSetCookie();
    expect(cookie).toMatch(/^quarry\.session_token=[^;]+;.*Path=\/; HttpOnly; SameSite=Lax$/);
    expect(cookie).not.toMatch(/Domain=/);
    expect(body['user']).toMatchObject({ id: user.userId, email, role: 'user' });
    expect(body['user'].id[14]).toBe('7');
  });

  test('a wrong password and an unknown account are told alike', async () => {
    const wrong = await anonymous('/api/auth/sign-in/email', {
      body: { email: user.email, password: 'not the password' },
    });
    const unknown = await anonymous('/api/auth/sign-in/email', {
      body: { email: `nobody-${user.email}`, password: 'not the password' },
    });
    for (const { headers, body } of [wrong, unknown]) {
      expect(headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
      expect(body).toMatchObject({ status: 401, code: 'unauthenticated' });
      expect(body['requestId']).toBe(headers.get('x-request-id'));
    }
    expect(wrong.body['detail']).toBe(unknown.body['detail']);
  });

  test('a foreign origin is refused, also without a cookie', async () => {
    const answer = await anonymous('/api/auth/sign-in/email', {
      body: { email: user.email, password: user.password },
      headers: { Origin: 'https://evil.test' },
    });
    expect(answer.body).toMatchObject({ status: 403, code: 'forbidden' });
    expect(answer.headers.getSetCookie()).toEqual([]);
  });

  test('a body that is none, or too large, is refused', async () => {
    const path = '/api/auth/sign-in/email';
    expect((await anonymous(path, { rawBody: '{"email":' })).body).toMatchObject({ status: 400 });
    expect((await anonymous(path, { body: { email: 5, password: {} } })).body).toMatchObject({ status: 400 });
    expect((await anonymous(path, { rawBody: `"${'x'.repeat(2 * 1024 * 1024)}"` })).status).toBe(413);
    expect((await anonymous('/api/auth/nothing', { body: {} })).body).toMatchObject({ code: 'not_found' });
  });
});

describe('sign-up', () => {
  test('is closed unless the operator opens it', async () => {
    const answer = await anonymous('/api/auth/sign-up/email', {
      body: { email: 'new@quarry.test', password: 'long enough', name: 'New' },
    });
    expect(answer.body).toMatchObject({ status: 403, code: 'forbidden' });
    expect(answer.body['detail']).toMatch(/SIGNUP=open/);
  });
});

describe('a session', () => {
  test('ends with sign-out, at once', async () => {
    const session = { ...user, cookie: await signIn(user.email, user.password) };
    expect(await isSignedIn(session)).toBe(true);
    await as(session, '/api/auth/sign-out', { body: {} });
    expect(await isSignedIn(session)).toBe(false);
    expect(await isSignedIn(user)).toBe(true);
  });

  test('cannot be forged: neither another signature nor another token', async () => {
    const [name, value = ''] = user.cookie.split('=');
    const [token, signature] = decodeURIComponent(value).split('.');
    for (const forged of [`${token}.${'A'.repeat(43)}=`, `x${token}.${signature}`, token, ''])
      expect(await isSignedIn({ ...user, cookie: `${name}=${encodeURIComponent(forged ?? '')}` })).toBe(
        false,
      );
  });

  test('does not let its user choose a role', async () => {
    await as(user, '/api/auth/update-user', { body: { name: 'Renamed', role: 'admin' } });
    expect((await as(user, '/api/admin/users')).status).toBe(403);
  });

  test.each<[string, string, Record<string, unknown>]>([
    ['a name with a NUL', 'update-user', { name: 'a\0b' }],
    ['half of a surrogate pair', 'update-user', { image: '\ud800' }],
    ['no name', 'update-user', { name: null }],
    ['a name that is no text', 'update-user', { name: { first: 'Ann' } }],
    ['a name without end', 'update-user', { name: 'x'.repeat(101) }],
    ['a token with a NUL', 'revoke-session', { token: 'a\0' }],
    ['a NUL in the query', 'get-session?disableRefresh=%00', {}],
  ])('refuses %s as invalid', async (_what, path, body) => {
    const answer = await as(user, `/api/auth/${path}`, path.includes('?') ? {} : { body });
    expect(answer.body).toMatchObject({ status: 400, code: 'invalid_request' });
  });

  test('ends when the operator sets a new password', async () => {
    const other = await createSignedIn();
    const { password } = await runAdmin(inject('stack').home, 'user', 'set-password', '--email', other.email);
    expect(await isSignedIn(other)).toBe(false);
    await expect(signIn(other.email, other.password)).rejects.toThrow(/401/);
    expect(await signIn(other.email, String(password))).toContain('session_token');
  });

  test('ends when its user changes the password in another', async () => {
    const other = await createSignedIn();
    const elsewhere = { ...other, cookie: await signIn(other.email, other.password) };
    const changed = await as(elsewhere, '/api/auth/change-password', {
      body: { currentPassword: other.password, newPassword: randomUUID(), revokeOtherSessions: false },
    });
    expect(changed.status).toBe(200);
    expect(await isSignedIn(other)).toBe(false);
  });

  test('leaves no row behind when its time is over', async () => {
    const [ended, live] = await Promise.all([createSignedIn(), createSignedIn()]);
    await withDatabase({ QUARRY_HOME: inject('stack').home }, async ({ databaseUrl }) => {
      await using db = createDb({ url: databaseUrl, poolSize: 1, onError: () => undefined });
      const sessions = db.updateTable('sessions').set({ expires_at: new Date(Date.now() - 1_000) });
      await sessions.where('user_id', '=', ended.userId).execute();
      while ((await deleteEndedSessions(db)) > 0);
      const left = await db.selectFrom('sessions').select('user_id').execute();
      expect(left.map((row) => row.user_id)).toContain(live.userId);
      expect(left.map((row) => row.user_id)).not.toContain(ended.userId);
    });
    expect(await isSignedIn(live)).toBe(true);
    expect(await isSignedIn(ended)).toBe(false);
  });
});

test('the error page of sign-in, which quotes its address, may do nothing', async () => {
  const page = await fetch(new URL('/api/auth/error?error=%3Cscript%3E', inject('stack').url));
  expect(page.headers.get('content-security-policy')).toMatch(
    /^default-src 'none';.*frame-ancestors 'none'$/,
  );
  expect(page.headers.get('x-content-type-options')).toBe('nosniff');
});

describe('the calls of admins', () => {
  const licensePath = (id: string) => `/api/admin/users/${id}/license`;
  const noSuchId = '01a1f9e6-0000-7000-8000-000000000000';

  test.each<[string, Options]>([
    ['/api/admin/users', {}],
    [licensePath(noSuchId), { method: 'PUT', body: { plan: 'pro' } }],
    [licensePath(noSuchId), { method: 'DELETE' }],
  ])('%s: 401 without a session, 403 for others, 403 from a foreign origin', async (path, options) => {
    expect((await anonymous(path, options)).body).toMatchObject({ code: 'unauthenticated' });
    expect((await as(user, path, options)).body).toMatchObject({ status: 403, code: 'forbidden' });
    if (options.method === undefined) return;
    const answer = await as(admin, path, { ...options, headers: { Origin: 'https://evil.test' } });
    expect(answer.body).toMatchObject({ status: 403, code: 'forbidden' });
  });

  test('list the users by pages', async () => {
    const first = (await as(admin, '/api/admin/users?limit=1')).body;
    expect(first['users']).toHaveLength(1);
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      const path: string = `/api/admin/users?limit=3${cursor === null ? '' : `&cursor=${cursor}`}`;
      const page = (await as(admin, path)).body as { users: { id: string }[]; nextCursor: string | null };
      ids.push(...page.users.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining([user.userId, admin.userId]));
    expect(ids).toEqual(ids.toSorted());
    expect((await as(admin, '/api/admin/users?limit=0')).body).toMatchObject({ code: 'invalid_request' });
  });

  test('grant, change, end and revoke a license; existing keys follow the plan', async () => {
    const someone = await createSignedIn();
    const put = (body: unknown) => as(admin, licensePath(someone.userId), { method: 'PUT', body });
    const granted = await put({ plan: 'free' });
    expect(granted.status).toBe(200);
    expect(granted.body).toEqual({
      license: {
        plan: 'free',
        rateLimit: 100,
        userRateLimit: 200,
        maxConcurrentJobs: 2,
        maxKeys: 2,
        maxTokensPerDay: null,
        validFrom: expect.any(String),
        validUntil: null,
        revokedAt: null,
      },
    });
    const { key } = (await as(someone, '/api/keys', { body: { name: 'x' } })).body;
    const limit = async () =>
      (await call('/api/keys/validate', { method: 'POST', key })).body['rateLimit'] as number;
    expect(await limit()).toBe(100);
    await put({ plan: 'pro' });
    expect(await limit()).toBe(1_000);
    const revoked = await as(admin, licensePath(someone.userId), { method: 'DELETE' });
    expect(revoked.body).toMatchObject({ license: { plan: 'pro', revokedAt: expect.any(String) } });
    expect(await limit()).toBe(1_000);
    const create = async () => {
      const { status, body } = await as(someone, '/api/keys', { body: { name: 'x' } });
      return status === 201 ? 'created' : (body['code'] as string);
    };
    expect(await create()).toBe('license_required');

    const validUntil = new Date(Date.now() + 5_000).toISOString();
    expect((await put({ plan: 'pro', validUntil })).body).toMatchObject({ license: { validUntil } });
    await expect.poll(create, { timeout: 30_000, interval: 250 }).toBe('license_required');
    expect(await limit()).toBe(1_000);
    await put({ plan: 'scale' });
    expect(await create()).toBe('created');
    const { users } = (await as(admin, '/api/admin/users?limit=1000')).body;
    expect(users.find(({ id }: { id: string }) => id === someone.userId)).toMatchObject({
      license: { plan: 'scale' },
      activeKeys: expect.any(Number),
    });
  });

  test.each<[string, unknown]>([
    ['an unknown plan', { plan: 'gold' }],
    ['a name that every object has', { plan: 'constructor' }],
    ['no plan', {}],
    ['an end in the past', { plan: 'pro', validUntil: '2020-01-01T00:00:00Z' }],
    ['an unknown field', { plan: 'pro', rateLimit: 5 }],
  ])('400 for %s', async (_what, body) => {
    const answer = await as(admin, licensePath(user.userId), { method: 'PUT', body });
    expect(answer.body).toMatchObject({ status: 400, code: 'invalid_request' });
  });

  test('404 for a user that is none, or has no license to revoke', async () => {
    for (const id of [noSuchId, 'me'])
      expect((await as(admin, licensePath(id), { method: 'PUT', body: { plan: 'pro' } })).status).toBe(404);
    expect((await as(admin, licensePath(user.userId), { method: 'DELETE' })).status).toBe(404);
  });

  test('make-admin holds from the next request on', async () => {
    const someone = await createSignedIn();
    expect((await as(someone, '/api/admin/users')).status).toBe(403);
    await runAdmin(inject('stack').home, 'user', 'make-admin', '--email', someone.email);
    expect((await as(someone, '/api/admin/users')).status).toBe(200);
  });
});

test('jobs are told and deleted to their signed-in owner too, to nobody else, and not from another site', async () => {
  const owner = await createSignedIn({ plan: 'pro' });
  const { home, url } = inject('stack');
  const { key } = await runAdmin(home, 'key', 'create', '--email', owner.email, '--name', 'Jobs');
  const started = await call('/api/proxy/web/v1/url/is-alive', {
    key: String(key),
    body: { url: `${url}/livez` },
    headers: { Prefer: 'wait=20' },
  });
  const path = `/api/proxy/jobs/${started.headers.get('x-job-id')}`;
  expect((await as(owner, path)).body['data']).toMatchObject({ operation: 'web.url-is-alive' });
  expect((await as(owner, '/api/proxy/jobs')).body['data'].jobs).toHaveLength(1);
  expect((await as(user, path)).body).toMatchObject({ status: 404, code: 'not_found' });
  expect((await anonymous(path)).body).toMatchObject({ status: 401, code: 'key_missing' });
  const stale = await anonymous(path, { headers: { Cookie: 'quarry.session_token=none' } });
  expect(stale.body).toMatchObject({ status: 401, code: 'unauthenticated' });
  const foreign = { method: 'DELETE', headers: { Origin: 'https://evil.test' } };
  expect((await as(owner, path, foreign)).body).toMatchObject({ status: 403, code: 'forbidden' });
  // A key is no cookie: no browser sends it for another site.
  expect((await call(path, { ...foreign, key: String(key) })).status).toBe(200);
  expect((await as(owner, path, { method: 'DELETE' })).status).toBe(200);
});
