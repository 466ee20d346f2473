import { createServer } from 'node:https';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call } from '../support/client.ts';
import { strangerCertificate, testKey } from '../support/egress-certificates.ts';
import { listen, type Origin } from '../support/egress-origin.ts';
import { startSite, type Site } from '../support/site.ts';
import { deadOrigin } from '../support/site/page.ts';

const path = '/api/proxy/web/v1/url/is-alive';
let site: Site;
let secure: Origin;
beforeAll(async () => {
  site = await startSite();
  const certificate = { key: testKey, cert: strangerCertificate };
  secure = await listen(createServer(certificate, (_request, response) => response.end('hello')));
});
afterAll(() => Promise.all([site.close(), secure[Symbol.asyncDispose]()]));

const ask = (url: string, options: Record<string, unknown> = {}) =>
  call(path, { body: { url: url.startsWith('/') ? site.origin + url : url, ...options } });

describe('is-alive', () => {
  test('tells everything about a URL that answers, and asks with GET alone', async () => {
    const { status, body } = await ask('/article');
    expect(status).toBe(200);
    expect(body['data']).toMatchObject({
      url: `${site.origin}/article`,
      alive: true,
      reason: 'ok',
      statusCode: 200,
      finalUrl: `${site.origin}/article`,
      redirects: 0,
      tls: null,
      contentType: 'text/html',
      timings: { tlsMs: null },
    });
    const { timings, responseTimeMs, checkedAt } = body['data'];
    for (const ms of [timings.dnsMs, timings.connectMs, timings.ttfbMs]) expect(ms).toBeGreaterThanOrEqual(0);
    expect(responseTimeMs).toBeGreaterThanOrEqual(timings.ttfbMs);
    expect(Date.now() - Date.parse(checkedAt)).toBeLessThan(10_000);
    expect(site.requests.filter((one) => one.path === '/article').map((one) => one.method)).toEqual(['GET']);
  });

  test.each([
    ['/status?code=204', true, 'ok'],
    ['/status?code=401', true, 'needs_login'],
    ['/status?code=403', true, 'needs_login'],
    ['/status?code=405', true, 'method_not_allowed'],
    ['/status?code=429', true, 'rate_limited'],
    ['/status?code=404', false, 'not_found'],
    ['/status?code=410', false, 'gone'],
    ['/status?code=451', false, 'client_error'],
    ['/status?code=503', false, 'server_error'],
    ['/not-http', false, 'target_protocol_error'],
    ['/hang-up', false, 'target_unreachable'],
    [`${deadOrigin}/`, false, 'target_unreachable'],
    ['/redirect-loop', false, 'too_many_redirects'],
    ['/url/to-app', false, 'target_protocol_error'],
    ['/url/no-head', true, 'ok'],
    ['/url/head-resets', true, 'ok'],
    ['/url/head-loops', true, 'ok'],
    ['/url/head-without-location', true, 'ok'],
    ['/url/endless-body', true, 'ok'],
  ])('%s: alive %s, %s', async (url, alive, reason) => {
    const { status, body } = await ask(url);
    expect(status).toBe(200);
    expect(body['data']).toMatchObject({ alive, reason });
  });

  test('a server that leaves HEAD unanswered answers GET', async () => {
    const { body } = await ask('/url/head-hangs', { timeout: 2_000 });
    expect(body['data']).toMatchObject({ alive: true, statusCode: 200 });
  });

  test('an answer has all of the time limit', async () => {
    const late = (await ask('/slow?wait=1500', { timeout: 2_500 })).body['data'];
    expect(late).toMatchObject({ alive: true, statusCode: 200 });
    expect(late.timings.ttfbMs).toBeGreaterThan(1_400);
  });

  test.each([
    ['/url/head-gone', true, 200],
    ['/url/head-fails', true, 200],
    ['/url/get-gone', false, 410],
    ['/url/get-missing', false, 404],
    ['/url/get-fails', false, 500],
  ])('what GET says holds, not HEAD: %s', async (url, alive, statusCode) => {
    expect((await ask(url)).body['data']).toMatchObject({ alive, statusCode });
  });

  test('one that never answers is dead at the deadline', async () => {
    const { body } = await ask('/never-answers', { timeout: 1_000 });
    expect(body['data']).toMatchObject({ alive: false, reason: 'target_timeout', statusCode: null });
    expect(body['data']).toMatchObject({ responseTimeMs: null, timings: { ttfbMs: null } });
    // It took the connection, which is told.
    expect(body['data'].timings.connectMs).toBeGreaterThan(0);
  });

  test('what failed tells the times as far as it came', async () => {
    const refused = (await ask(`${deadOrigin}/`)).body['data'];
    expect(refused.timings).toEqual({
      dnsMs: expect.any(Number),
      connectMs: null,
      tlsMs: null,
      ttfbMs: null,
    });
    const untrusted = (await ask(secure.url.replace('http:', 'https:'))).body['data'];
    expect(untrusted.timings).toMatchObject({ connectMs: expect.any(Number), tlsMs: null, ttfbMs: null });
    const unknown = (await ask('http://no-such-name.invalid/')).body['data'];
    expect(unknown.timings).toEqual({ dnsMs: null, connectMs: null, tlsMs: null, ttfbMs: null });
  });

  test('redirects are followed up to the bound', async () => {
    const { body } = await ask('/redirect-hops?left=4');
    expect(body['data']).toMatchObject({ alive: true, redirects: 4, finalUrl: `${site.origin}/article` });
    const few = await ask('/redirect-hops?left=4', { maxRedirects: 3 });
    expect(few.body['data']).toMatchObject({ alive: false, reason: 'too_many_redirects', redirects: 3 });
  });

  test('a certificate that is not trusted is told, and what it says', async () => {
    const url = secure.url.replace('http:', 'https:');
    const { body } = await ask(url);
    expect(body['data']).toMatchObject({ alive: false, reason: 'target_tls_failed', statusCode: null });
    expect(body['data'].tls).toMatchObject({ valid: false, issuer: 'stranger.example.com' });
    expect(body['data'].tls.daysLeft).toBeGreaterThan(10_000);
    const unverified = await ask(url, { verifyTls: false });
    expect(unverified.body['data']).toMatchObject({ alive: true, statusCode: 200, tls: { valid: false } });
    expect(unverified.body['data'].timings.tlsMs).toBeGreaterThan(0);
  });

  test.each([
    [{ url: 'ftp://example.com/' }, 400, 'invalid_request'],
    [{ url: 'http://10.0.0.1/' }, 403, 'url_not_allowed'],
    [{ url: 'http://127.0.0.1/', maxRedirects: 21 }, 400, 'invalid_request'],
    [{}, 400, 'invalid_request'],
  ])('%j', async (body, status, code) => {
    expect((await call(path, { body })).body).toMatchObject({ status, code });
  });

  test('no key', async () => {
    expect((await call(path, { key: null, body: { url: site.origin } })).body).toMatchObject({
      code: 'key_missing',
    });
  });
});
