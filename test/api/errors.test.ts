import { request } from 'node:http';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { createKeyText } from '../../src/shared/keys/key-text.ts';
import { call, scrapePath, screenshotPath } from '../support/client.ts';
import { createTestKey, runAdmin } from '../support/service.ts';

const url = 'https://example.com/';

describe('every wrong request gets its own code and a sentence that helps', () => {
  test.each<[string, Parameters<typeof call>, number, string, RegExp]>([
    ['no key', [scrapePath, { key: null, body: { url } }], 401, 'key_missing', /X-API-Key/],
    [
      'a key of the wrong shape',
      [scrapePath, { key: 'abc', body: { url } }],
      401,
      'key_invalid',
      /svc_live_ and 50/,
    ],
    [
      'an unknown key',
      [scrapePath, { key: createKeyText().text, body: { url } }],
      401,
      'key_invalid',
      /not known here/,
    ],
    [
      'a key in the query',
      [`${scrapePath}?api_key=x`, { key: null, body: { url } }],
      401,
      'key_missing',
      /URL is never read/,
    ],
    [
      'an unknown field',
      [scrapePath, { body: { url, wait: 1 } }],
      400,
      'invalid_request',
      /wait: Unknown field.*waitFor/,
    ],
    ['no url', [scrapePath, { body: {} }], 400, 'invalid_request', /url/],
    ['a url that is none', [scrapePath, { body: { url: 'example dot com' } }], 400, 'invalid_request', /URL/],
    ['ftp', [scrapePath, { body: { url: 'ftp://example.com/' } }], 400, 'invalid_request', /http/],
    [
      'a URL with credentials',
      [scrapePath, { body: { url: 'http://a:b@example.com/' } }],
      400,
      'invalid_request',
      /credential|user name|password/i,
    ],
    [
      'a private address',
      [scrapePath, { body: { url: 'http://10.0.0.1/' } }],
      403,
      'url_not_allowed',
      /private|public/i,
    ],
    [
      'a metadata address',
      [screenshotPath, { body: { url: 'http://169.254.169.254/' } }],
      403,
      'url_not_allowed',
      /./,
    ],
    ['a single-label name', [scrapePath, { body: { url: 'http://intranet/' } }], 403, 'url_not_allowed', /./],
    [
      'a denied port',
      [scrapePath, { body: { url: 'http://example.com:22/' } }],
      403,
      'url_not_allowed',
      /port/,
    ],
    [
      'waitFor without a browser',
      [scrapePath, { body: { url, render: 'http', waitFor: 'load' } }],
      400,
      'invalid_request',
      /waitFor/,
    ],
    [
      'a wait that is too long',
      [scrapePath, { body: { url, waitFor: '60001' } }],
      400,
      'invalid_request',
      /60000/,
    ],
    [
      'the same between spaces',
      [scrapePath, { body: { url, waitFor: ' 70000\n' } }],
      400,
      'invalid_request',
      /60000/,
    ],
    [
      'a header that no record can have',
      [scrapePath, { rawBody: `{"url":"${url}","headers":{"__proto__":"x"}}` }],
      400,
      'invalid_request',
      /__proto__/,
    ],
    [
      'a header that no browser sends',
      [scrapePath, { body: { url, headers: { Cookie2: 'x' }, render: 'browser' } }],
      400,
      'invalid_request',
      /set by the service/,
    ],
    [
      'a header for proxies',
      [scrapePath, { body: { url, headers: { 'proxy-Foo': 'x' }, render: 'browser' } }],
      400,
      'invalid_request',
      /set by the service/,
    ],
    [
      'a header of the transport',
      [scrapePath, { body: { url, headers: { Host: 'x' } } }],
      400,
      'invalid_request',
      /Host is set by the service/,
    ],
    [
      'a header of a proxy',
      [scrapePath, { body: { url, headers: { 'Proxy-Authenticate': 'x' } } }],
      400,
      'invalid_request',
      /set by the service/,
    ],
    [
      'a header with a line break',
      [scrapePath, { body: { url, headers: { 'X-A': 'a\r\nB: c' } } }],
      400,
      'invalid_request',
      /line breaks/,
    ],
    ['a body that is no JSON', [scrapePath, { rawBody: '{"url":' }], 400, 'invalid_request', /not JSON/],
    ['a body that is no object', [scrapePath, { rawBody: '[]' }], 400, 'invalid_request', /JSON object/],
    ['no body', [scrapePath, { rawBody: '' }], 400, 'invalid_request', /empty/],
    [
      'a form',
      [scrapePath, { rawBody: 'url=x', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }],
      415,
      'unsupported_media_type',
      /application\/json/,
    ],
    [
      'a body in UTF-16',
      [scrapePath, { rawBody: '{}', headers: { 'Content-Type': 'application/json; charset=utf-16' } }],
      415,
      'unsupported_media_type',
      /utf-16.*charset=utf-8/,
    ],
    [
      'a body in Latin-1, in quotes',
      [scrapePath, { rawBody: '{}', headers: { 'Content-Type': 'application/json; Charset="ISO-8859-1"' } }],
      415,
      'unsupported_media_type',
      /charset=utf-8/,
    ],
    [
      'a field that is missing, in UTF-8',
      [scrapePath, { rawBody: '{}', headers: { 'Content-Type': 'application/json; charset="UTF-8"' } }],
      400,
      'invalid_request',
      /url/,
    ],
    [
      '2 MiB',
      [scrapePath, { rawBody: `{"url":"${'x'.repeat(2 * 1024 * 1024)}"}` }],
      413,
      'body_too_large',
      /1 MiB/,
    ],
    ['the wrong method', [scrapePath, { method: 'GET' }], 405, 'method_not_allowed', /Use POST/],
    ['an unknown path', ['/api/proxy/web/v1/scrap', { body: { url } }], 404, 'not_found', /scrap/],
    [
      'an answer type that is not there',
      [scrapePath, { body: { url }, headers: { Accept: 'text/csv' } }],
      406,
      'not_acceptable',
      /application\/json/,
    ],
    [
      'a wait that is out of bounds',
      [scrapePath, { body: { url }, headers: { Prefer: 'wait=500' } }],
      400,
      'invalid_request',
      /110/,
    ],
    [
      'a query parameter twice',
      ['/api/proxy/jobs?limit=1&limit=2'],
      400,
      'invalid_request',
      /more than once/,
    ],
    ['an unknown query parameter', ['/api/proxy/jobs?page=1'], 400, 'invalid_request', /page/],
    ['a limit out of bounds', ['/api/proxy/jobs?limit=0'], 400, 'invalid_request', /limit/],
    ['an id that is none', ['/api/proxy/jobs/42'], 404, 'not_found', /id/],
  ])('%s', async (_what, request_, status, code, detail) => {
    const answer = await call(...request_);
    expect(answer.body).toMatchObject({ status, code });
    expect(answer.body['detail']).toMatch(detail);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(answer.body['requestId']).toBe(answer.headers.get('x-request-id'));
    expect(Object.keys(answer.body)).toEqual(expect.arrayContaining(['type', 'title', 'retryable']));
  });

  test('any one character of a key changed is refused before the database is asked', async () => {
    const { key } = inject('stack');
    const changed = key.slice(0, -1) + (key.endsWith('A') ? 'B' : 'A');
    const answer = await call(scrapePath, { key: changed, body: { url } });
    expect(answer.status).toBe(401);
    expect(answer.body['detail']).toMatch(/checksum/);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
  });

  test('several wrong fields are all named, each with its path', async () => {
    const answer = await call(scrapePath, { body: { url, timeout: 5, render: 'maybe', formats: ['pdf'] } });
    const paths = answer.body['errors'].map((error: { path: string }) => error.path);
    expect(paths).toEqual(expect.arrayContaining(['timeout', 'render', 'formats.0']));
  });

  test('a 405 names the methods that are possible', async () => {
    expect((await call(scrapePath, { method: 'DELETE' })).headers.get('allow')).toBe('POST');
    const answer = await call('/api/proxy/jobs/01a1f9e6-0000-7000-8000-000000000000', {
      method: 'PUT',
      body: {},
    });
    expect(answer.headers.get('allow')?.split(', ').sort()).toEqual(['DELETE', 'GET']);
  });

  test('a body that goes on after the refusal does not break the answer', async () => {
    const { url: base, key } = inject('stack');
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const sent = request(new URL(scrapePath, base), {
        method: 'POST',
        headers: { 'X-API-Key': key, 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' },
      });
      sent.on('response', (response) => resolve(response.resume().statusCode));
      sent.on('error', reject);
      for (let sentMiB = 0; sentMiB < 2; sentMiB++) sent.write(Buffer.alloc(1024 * 1024, 'x'));
    });
    expect(status).toBe(413);
  });
});

describe('request ids', () => {
  test('a sane one is taken over, another is replaced', async () => {
    const sane = await call('/livez', { headers: { 'X-Request-Id': 'trace-1.2:3' } });
    expect(sane.headers.get('x-request-id')).toBe('trace-1.2:3');
    const odd = await call('/livez', { headers: { 'X-Request-Id': 'a b"c' } });
    expect(odd.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('a key that was good once', () => {
  let revoked: { key: string; id: string };
  beforeAll(async () => {
    revoked = await createTestKey(inject('stack').home, 'free');
  });

  test('is refused from the first request after its revocation on', async () => {
    expect((await call('/api/proxy/web/v1/profile', { key: revoked.key })).status).toBe(200);
    await runAdmin(inject('stack').home, 'key', 'revoke', '--id', revoked.id);
    const answer = await call('/api/proxy/web/v1/profile', { key: revoked.key });
    expect(answer.body).toMatchObject({ status: 401, code: 'key_revoked' });
  });

  test('works as a bearer token too', async () => {
    const bearer = { Authorization: `Bearer ${inject('stack').key}` };
    expect((await call('/api/proxy/web/v1/profile', { key: null, headers: bearer })).status).toBe(200);
  });
});
