import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { revokeLicense } from '../../src/shared/db/users.ts';
import { type ApiCluster, type OwnedKey, startApiCluster } from '../support/api-cluster.ts';
import { call, scrapePath } from '../support/client.ts';
import { type FeedClient, type FeedRequest, openWebSocket } from '../support/feed-client.ts';
import { signIn } from '../support/session.ts';

const password = 'correct horse battery';
let cluster: ApiCluster;
let owner: OwnedKey;
let cookie: string;
beforeAll(async () => {
  // Whoever connects is a proxy, and says where requests come from.
  cluster = await startApiCluster({ processes: 2, env: { TRUSTED_PROXIES: '127.0.0.0/8' } });
  owner = await cluster.createKey(100, password);
  cookie = await signIn(owner.email, password, url());
});
afterAll(() => cluster[Symbol.asyncDispose]());

const url = (n = 0) => cluster.apis[n]!.url;
const bySession = (path: string, options: { method?: string; body?: unknown } = {}, n = 0) =>
  call(
    path,
    { key: null, headers: { Cookie: cookie, 'X-Forwarded-For': '198.51.100.9' }, ...options },
    url(n),
  );

async function createKey(rights: Record<string, unknown> = {}): Promise<{ id: string; key: string }> {
  const answer = await bySession('/api/keys', { body: { name: 'Test', ...rights } });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body as { id: string; key: string };
}

const scrape = (key: string, n = 0, headers: Record<string, string> = {}) =>
  call(
    scrapePath,
    { key, body: { url: 'https://example.com/' }, headers: { Prefer: 'respond-async', ...headers } },
    url(n),
  );
const listJobs = (key: string, n = 0, headers: Record<string, string> = {}) =>
  call('/api/proxy/jobs', { key, headers }, url(n));
const forbidden = { status: 403, body: { code: 'forbidden' } };

describe('a key with scopes', () => {
  test('is for its areas and operations; all else is refused and costs nothing', async () => {
    const { key, id } = await createKey({ scopes: ['video', 'web.url-is-alive', 'jobs'] });
    expect(await scrape(key)).toMatchObject(forbidden);
    expect(await call('/api/webhooks/secret', { key }, url())).toMatchObject(forbidden);
    expect((await listJobs(key)).status).toBe(200);
    const alive = await call(
      '/api/proxy/web/v1/url/is-alive',
      { key, body: { url: 'https://example.com/' }, headers: { Prefer: 'respond-async' } },
      url(),
    );
    expect(alive.status).toBe(202);
    const { rateLimit } = (await bySession(`/api/keys/${id}/usage`)).body;
    expect(rateLimit.used).toBe(1);
  });

  test('is refused where a scope is unknown, and told of those that are', async () => {
    const answer = await bySession('/api/keys', { body: { name: 'x', scopes: ['vidio'] } });
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', errors: [{ path: 'scopes' }] },
    });
    expect(answer.body['detail']).toContain('video');
  });

  test('has no feed without jobs.events, and keeps its rights when it is rotated', async () => {
    const { key, id } = await createKey({ scopes: ['web'], metadata: { team: 'search' } });
    await expect(openWebSocket(url(), { headers: { 'X-API-Key': key } })).rejects.toThrow(/403.*forbidden/);
    const { id: next } = (await bySession(`/api/keys/${id}/rotate`, { method: 'POST' })).body;
    const { key: shown } = (await bySession(`/api/keys/${next}`)).body;
    expect(shown).toMatchObject({ scopes: ['web'], allowedAddresses: null, metadata: { team: 'search' } });
  });
});

describe('a model’s tools', () => {
  async function connect(key: string, headers: Record<string, string> = {}) {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
    const requestInit = { headers: { Authorization: `Bearer ${key}`, Prefer: 'wait=0', ...headers } };
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url()), { requestInit }));
    return Object.assign(client, {
      [Symbol.asyncDispose]: () => client.close(),
      async ask(name: string, args: Record<string, unknown>): Promise<string> {
        const { content } = await client.callTool({ name, arguments: args });
        return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
      },
    });
  }
  const usedBy = async (id: string) => (await bySession(`/api/keys/${id}/usage`)).body['rateLimit'].used;

  test('obey the scopes of the key as the calls do that they stand for, and refusals cost nothing', async () => {
    const { key, id } = await createKey({ scopes: ['web.convert-markdown', 'jobs.get'] });
    await using client = await connect(key);
    const begun = await client.ask('web_read', { url: 'https://example.com/' });
    const job = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(begun)?.[0] ?? '';
    expect(await client.ask('job', { id: job })).toContain('Not finished yet');
    expect(await client.ask('result_read', { resultId: job })).toContain('Not finished yet');
    expect(await client.ask('job', { id: job, action: 'cancel' })).toMatch(/^forbidden: .*jobs\.delete/);
    expect(await client.ask('web_read', { url: 'https://example.com/', want: 'links' })).toMatch(
      /^forbidden: /,
    );
    expect(await client.ask('video_read', { url: 'https://example.com/', want: 'transcript' })).toMatch(
      /^forbidden: /,
    );
    expect(await usedBy(id)).toBe(1);

    const narrow = await createKey({ scopes: ['video'] });
    await using other = await connect(narrow.key);
    for (const [name, args] of [
      ['job', { id: job }],
      ['job', { id: job, action: 'cancel' }],
      ['result_read', { resultId: job }],
      ['web_map', { url: 'https://example.com/' }],
    ] as const)
      expect(await other.ask(name, args), name).toMatch(/^forbidden: /);
    expect(await usedBy(narrow.id)).toBe(0);
    expect((await listJobs(owner.key)).body['data'].jobs[0]).toMatchObject({ id: job, status: 'queued' });
  });

  test('obey its addresses', async () => {
    const { key, id } = await createKey({ allowedAddresses: ['203.0.113.0/24'] });
    await expect(connect(key, { 'X-Forwarded-For': '198.51.100.1' })).rejects.toThrow();
    await using client = await connect(key, { 'X-Forwarded-For': '203.0.113.9' });
    expect((await client.listTools()).tools.length).toBeGreaterThan(3);
    expect(await usedBy(id)).toBe(0);
  });
});

test('a key with addresses is accepted from those only, as the trusted proxy tells them', async () => {
  const { key } = await createKey({ allowedAddresses: ['203.0.113.0/24', '2001:db8::/32'] });
  const from = (address: string) => ({ 'X-Forwarded-For': address });
  expect(await scrape(key, 0, from('198.51.100.1'))).toMatchObject(forbidden);
  expect(await listJobs(key, 0, from('198.51.100.1'))).toMatchObject(forbidden);
  // Before the last proxy stands the client's own word.
  expect(await listJobs(key, 0, from('203.0.113.7, 198.51.100.1'))).toMatchObject(forbidden);
  expect((await scrape(key, 0, from('203.0.113.7'))).status).toBe(202);
  expect((await scrape(key, 0, from('2001:db8::1'))).headers.get('RateLimit')).toMatch(/^"hourly";r=98;/);
  // Who asks about it is another than who uses it.
  const asked = await call(
    '/api/keys/validate',
    { method: 'POST', key, headers: from('198.51.100.1') },
    url(),
  );
  expect(asked.status).toBe(200);
  for (const bad of ['10.0.0.0/33', 'example.com', '']) {
    const answer = await bySession('/api/keys', { body: { name: 'x', allowedAddresses: [bad] } });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  }
});

test('a change acts at the next request in every process, and ends an open feed', async () => {
  const { id, key } = await createKey();
  for (const n of [0, 1]) expect((await scrape(key, n)).status).toBe(202);
  const feed = await openWebSocket(url(1), { headers: { 'X-API-Key': key } });
  const change = (body: Record<string, unknown>) => bySession(`/api/keys/${id}`, { method: 'PATCH', body });
  expect((await change({ scopes: ['video'] })).body['key']).toMatchObject({ scopes: ['video'] });
  for (const n of [0, 1]) expect(await scrape(key, n)).toMatchObject(forbidden);
  expect(await feed.find(({ type }) => type === 'end')).toMatchObject({ code: 'forbidden' });
  await change({ scopes: null, allowedAddresses: ['203.0.113.7'] });
  for (const n of [0, 1]) expect(await scrape(key, n)).toMatchObject(forbidden);
  await change({ allowedAddresses: null });
  for (const n of [0, 1]) expect((await scrape(key, n)).status).toBe(202);
  expect((await bySession(`/api/keys/${id}/usage`)).body['rateLimit'].used).toBe(4);
});

describe('the audit log', () => {
  const entriesOf = async (path: string) =>
    (await bySession(path)).body['entries'] as Record<string, unknown>[];

  test('tells who made, changed, rotated, revoked and deleted a key, when and from where', async () => {
    const { id, key } = await createKey({ scopes: ['web'] });
    await bySession(`/api/keys/${id}`, { method: 'PATCH', body: { name: 'Other' } });
    const { key: nextKey } = (await bySession(`/api/keys/${id}/rotate`, { method: 'POST' })).body;
    // Once, however often it is asked for.
    for (let n = 0; n < 2; n++)
      expect((await bySession(`/api/keys/${id}/revoke`, { method: 'POST' })).status).toBe(200);
    await bySession(`/api/keys/${id}`, { method: 'DELETE' });
    const entries = await entriesOf(`/api/keys/${id}/audit`);
    expect(entries.map(({ action }) => action)).toEqual(
      ['created', 'changed', 'rotated', 'revoked', 'deleted'].map((what) => `key.${what}`).toReversed(),
    );
    for (const entry of entries) {
      expect(entry).toMatchObject({
        userId: owner.userId,
        actorId: owner.userId,
        address: '198.51.100.9',
        keyId: id,
      });
    }
    const all = JSON.stringify(await entriesOf('/api/audit'));
    expect(all).not.toContain(key);
    expect(all).not.toContain(nextKey);
    const other = await cluster.createKey(10);
    expect((await bySession(`/api/keys/${other.id}/audit`)).status).toBe(404);
  });

  test('tells sign-ins that succeeded and failed, licenses, and rotations of the webhook secret', async () => {
    const body = { email: owner.email, password: 'wrong password' };
    const headers = { 'X-Forwarded-For': '198.51.100.77' };
    expect((await call('/api/auth/sign-in/email', { key: null, body, headers }, url())).status).toBe(401);
    await call('/api/webhooks/secret/rotate', { method: 'POST', key: owner.key }, url());
    const entries = await entriesOf('/api/audit?limit=100');
    const find = (action: string) => entries.find((entry) => entry['action'] === action);
    expect(find('sign-in.succeeded')).toMatchObject({ userId: owner.userId, actorId: owner.userId });
    expect(find('sign-in.failed')).toMatchObject({
      userId: owner.userId,
      actorId: null,
      address: '198.51.100.77',
    });
    expect(find('webhook-secret.rotated')).toMatchObject({ actorId: owner.userId });
    expect(find('license.granted')).toMatchObject({ actorId: null, details: { plan: 'test' } });
  });

  test("tells no sign-in where a session is renewed or a password changed, and no address of the client's own", async () => {
    const user = await cluster.createKey(10, password);
    const Cookie = await signIn(user.email, password, url());
    const sessions = cluster.db.updateTable('sessions').where('user_id', '=', user.userId);
    await sessions.set({ expires_at: new Date(Date.now() + 5 * 86_400_000) }).execute();
    const headers = { Cookie, 'X-Quarry-Client-Address': '203.0.113.66', 'X-Forwarded-For': '198.51.100.9' };
    const renewed = await call('/api/keys', { key: null, headers }, url());
    expect(renewed.headers.get('set-cookie')).toContain('session_token');
    const body = { currentPassword: password, newPassword: `${password} too` };
    const changed = await call('/api/auth/change-password', { key: null, headers, body }, url());
    expect(changed.status).toBe(200);
    const entries = cluster.db.selectFrom('audit_log').where('user_id', '=', user.userId).orderBy('id');
    const told = await entries.select(['action', 'actor_id', 'address']).execute();
    expect(told.slice(-2)).toEqual([
      { action: 'sign-in.succeeded', actor_id: user.userId, address: '127.0.0.1' },
      { action: 'password.changed', actor_id: user.userId, address: '198.51.100.9' },
    ]);
    expect(told.filter(({ action }) => action.startsWith('sign-in'))).toHaveLength(1);
  });

  test('tells once that a license was revoked', async () => {
    const { userId } = await cluster.createKey(10);
    const revoked = [await revokeLicense(cluster.db, userId), await revokeLicense(cluster.db, userId)];
    expect(revoked[0]?.revoked_at).toEqual(expect.any(Date));
    expect(revoked[1]).toEqual(revoked[0]);
    const entries = cluster.db.selectFrom('audit_log').select('action').where('user_id', '=', userId);
    const actions = (await entries.execute()).map(({ action }) => action);
    expect(actions.filter((action) => action === 'license.revoked')).toHaveLength(1);
  });

  test('of all is read by an admin only', async () => {
    expect(await bySession('/api/admin/audit')).toMatchObject(forbidden);
    await cluster.db.updateTable('users').set({ role: 'admin' }).where('id', '=', owner.userId).execute();
    const [first] = await entriesOf('/api/admin/audit?limit=1');
    expect(first).toBeDefined();
    const own = await entriesOf(`/api/admin/audit?userId=${owner.userId}`);
    expect(new Set(own.map(({ userId }) => userId))).toEqual(new Set([owner.userId]));
  });
});

test('those who do not say who they are keep nobody else from the feed', async () => {
  const from = (address: string) => ({ headers: { 'X-Forwarded-For': address } });
  const clients: FeedClient[] = [];
  const open = async (request: FeedRequest) => clients.push(await openWebSocket(url(), request));
  try {
    await open(from('2001:db8::'));
    const [first] = clients;
    await Promise.all(Array.from({ length: 99 }, (_, n) => open(from(`2001:db8::${n + 1}`))));
    const { headers } = from('2001:db8::1:1');
    await expect(open({ headers })).rejects.toThrow(/503.*unavailable/);
    for (let n = 0; n < 2; n++) await open({ headers: { ...headers, 'X-API-Key': owner.key } });
    await Promise.all(Array.from({ length: 900 }, (_, n) => open(from(`198.51.100.${1 + (n % 9)}`))));
    // The oldest is closed.
    await open(from('198.51.100.77'));
    expect(await first?.find(({ type }) => type === 'end')).toMatchObject({
      code: 'key_missing',
      detail: expect.stringContaining('others are waiting'),
    });
  } finally {
    for (const client of clients) client.close();
  }
});
