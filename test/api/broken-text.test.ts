import { beforeAll, expect, inject, test } from 'vitest';
import { call, scrapePath } from '../support/client.ts';
import { createSignedIn } from '../support/session.ts';

let cookie: string;
beforeAll(async () => {
  ({ cookie } = await createSignedIn({ plan: 'free' }));
});

test.each<[string, string, Parameters<typeof call>[1]]>([
  ['a NUL in a body', '/api/keys', { body: { name: 'a\0b' } }],
  ['half of a surrogate pair', '/api/keys', { body: { name: '\ud800' } }],
  ['a NUL in a query', '/api/proxy/jobs?operation=a%00b', {}],
  ['a NUL deep inside', scrapePath, { body: { url: 'https://example.com/', headers: { 'X-A': 'a\0' } } }],
  [
    'nesting as deep as a body can be',
    scrapePath,
    { rawBody: `{"url":${'['.repeat(5e5)}${']'.repeat(5e5)}}` },
  ],
])('%s is refused as invalid, not stored and not fallen over', async (_what, path, options) => {
  const { body } = await call(path, { ...options, headers: { Cookie: cookie } });
  expect(body).toMatchObject({ status: 400, code: 'invalid_request' });
});

test('bytes that are no UTF-8 are refused, not replaced', async () => {
  const { url } = inject('stack');
  for (const path of ['/api/keys', '/api/auth/sign-in/email']) {
    const response = await fetch(new URL(path, url), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Cookie: cookie },
      body: Buffer.from('{"name": "caf\xe9", "email": "\xe9"}', 'latin1'),
    });
    expect(await response.json()).toMatchObject({ status: 400, code: 'invalid_request' });
  }
  const marked = await call('/api/keys', { rawBody: '\ufeff{"name": "café"}', headers: { Cookie: cookie } });
  expect(marked.body).toMatchObject({ name: 'café' });
});

test('a field that the path gives already is refused in the body and in the query', async () => {
  const id = '01a1fa42-f52a-7067-a5eb-5ac6a7fb6b25';
  const revoke = await call(`/api/keys/${id}/revoke`, { body: { id }, headers: { Cookie: cookie } });
  expect(revoke.body).toMatchObject({ code: 'invalid_request', errors: [{ path: 'id' }] });
  const job = await call(`/api/proxy/jobs/${id}?id=${id}`);
  expect(job.body).toMatchObject({ code: 'invalid_request', errors: [{ path: 'id' }] });
});
