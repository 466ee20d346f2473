import { beforeAll, describe, expect, inject, test } from 'vitest';
import { call } from '../support/client.ts';
import { createSignedIn } from '../support/session.ts';

let admin: string;
let user: string;
beforeAll(async () => {
  const [one, other] = await Promise.all([createSignedIn({ admin: true }), createSignedIn()]);
  admin = one.cookie;
  user = other.cookie;
});

const ask = (path: string, cookie?: string, method = 'GET') =>
  call(`/admin/queues${path}`, {
    key: null,
    method,
    headers: cookie === undefined ? {} : { Cookie: cookie },
  });

describe('/admin/queues', () => {
  test('is for admins who are signed in, also its files; a key does not open it', async () => {
    for (const path of ['', '/api/queues', '/static/images/logo.svg']) {
      expect((await ask(path)).status).toBe(401);
      expect((await ask(path, user)).status).toBe(403);
      expect((await ask(path, admin)).status).toBe(200);
    }
    expect((await call('/admin/queues', { key: inject('stack').key })).status).toBe(401);
  });

  test('shows the queues, and asks no other host', async () => {
    const { headers, body: page } = await ask('', admin);
    expect(headers.get('content-type')).toMatch(/^text\/html/);
    expect(headers.get('content-security-policy')).toContain("script-src 'self'");
    expect(page).toContain('<base href="/admin/queues/" />');
    expect(page).not.toMatch(/https:\/\/|<%/);
    const { body } = await ask('/api/queues', admin);
    expect(body['queues'].map((queue: { name: string }) => queue.name)).toContain('browser');
    expect(body['queues'].every((queue: { readOnlyMode: boolean }) => queue.readOnlyMode)).toBe(true);
  });

  test('only shows: nothing can be stopped or emptied by it', async () => {
    expect((await ask('/api/queues/http/pause', admin, 'PUT')).status).toBe(405);
    expect((await ask('/api/queues/http/empty', admin, 'PUT')).status).toBe(405);
    expect((await ask('/api/queues/%zz/1', admin)).body).toMatchObject({ status: 404, code: 'not_found' });
  });

  test('serves files of its folder only', async () => {
    for (const path of ['/static/..%2f..%2fpackage.json', '/static/nothing.js', '/static/']) {
      expect((await ask(path, admin)).status).toBe(404);
    }
  });
});
