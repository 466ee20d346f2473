import { createServer } from 'node:https';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call } from '../support/client.ts';
import { strangerCertificate, testKey } from '../support/egress-certificates.ts';
import { listen, type Origin, startOrigin } from '../support/egress-origin.ts';
import { startSite, type Site } from '../support/site.ts';
import { deadOrigin } from '../support/site/page.ts';

const path = '/api/proxy/web/v1/url/get-url-after-redirects';
let site: Site;
/** Speaks TLS, and leads back to the plain site or on within itself. */
let secure: Origin;
const secureUrl = (target: string) => `https://127.0.0.1:${secure.port}${target}`;
beforeAll(async () => {
  site = await startSite();
  const certificate = { key: testKey, cert: strangerCertificate };
  secure = await listen(
    createServer(certificate, (request, response) => {
      const pages: Record<string, () => void> = {
        '/to-plain': () => response.writeHead(302, { location: `${site.origin}/url/end` }),
        '/to-secure': () => response.writeHead(308, { location: '/end' }),
        '/meta-to-plain': () =>
          response
            .setHeader('content-type', 'text/html')
            .write(`<title>Wait</title><meta http-equiv=refresh content="0;url=${site.origin}/url/end">`),
      };
      pages[request.url ?? '']?.();
      response.end();
    }),
  );
});
afterAll(() => Promise.all([site.close(), secure[Symbol.asyncDispose]()]));

const ask = (url: string, options: Record<string, unknown> = {}) =>
  call(path, { body: { url: url.startsWith('/') ? site.origin + url : url, ...options } });

describe('get-url-after-redirects', () => {
  test('HTTP redirects and meta refreshes, each a hop of its kind', async () => {
    const { status, body } = await ask('/url/moved');
    expect(status).toBe(200);
    expect(body['data']).toEqual({
      url: `${site.origin}/url/moved`,
      finalUrl: `${site.origin}/url/end#part`,
      statusCode: 200,
      hops: [
        { url: `${site.origin}/url/moved`, status: 301, kind: 'http', ms: expect.any(Number) },
        { url: `${site.origin}/url/meta`, status: 200, kind: 'meta', ms: expect.any(Number) },
        { url: `${site.origin}/url/header?a=1&b=2`, status: 200, kind: 'meta', ms: expect.any(Number) },
      ],
      loop: false,
      canonical: `${site.origin}/canon/end`,
      downgradedToHttp: false,
    });
  });

  test('a long page is read as far as its head, and one that cannot be decoded has still answered', async () => {
    const long = await ask('/url/long');
    expect(long.body['data']).toMatchObject({ statusCode: 200, canonical: `${site.origin}/url/short` });
    const { body } = await ask('/url/not-zipped');
    expect(body['data']).toMatchObject({ statusCode: 200, finalUrl: `${site.origin}/url/not-zipped` });
  });

  test('a body that never comes is not waited for, where its head has come', async () => {
    const { body } = await ask('/url/silent-body', { timeout: 2_000 });
    expect(body['data']).toMatchObject({ statusCode: 200, canonical: null, hops: [] });
    expect(body['meta'].warnings).toMatchObject([{ code: 'page_truncated' }]);
  });

  test('a refresh that comes late is waited for, as far as the time goes', async () => {
    const { body } = await ask('/url/late-refresh', { timeout: 30_000 });
    expect(body['data']).toMatchObject({ finalUrl: `${site.origin}/url/end`, hops: [{ kind: 'meta' }] });
    expect(body['meta'].warnings).toEqual([]);
  }, 40_000);

  test('a redirect to a very long URL is followed, and URLs are told as they were asked for', async () => {
    const { body } = await ask(`${site.origin.replace('http', 'HTTP')}/url/./to-long`);
    const finalUrl = `${site.origin}/url/end?${'x'.repeat(9_000)}`;
    const hops = [{ url: `${site.origin}/url/to-long`, status: 302 }];
    expect(body['data']).toMatchObject({ finalUrl, statusCode: 200, hops });
    const spelled = await ask(`${site.origin.replace('http', 'HTTP')}/url/../article`);
    expect(spelled.body['data'].finalUrl).toBe(`${site.origin}/article`);
  });

  test('without followMeta the refresh is where it ends', async () => {
    const { body } = await ask('/url/moved', { followMeta: false });
    expect(body['data']).toMatchObject({ finalUrl: `${site.origin}/url/meta`, hops: [{ kind: 'http' }] });
  });

  test.each([
    ['/article', 200],
    ['/status?code=404', 404],
    ['/url/reloads', 200],
  ])('%s leads nowhere else', async (url, statusCode) => {
    const { body } = await ask(url);
    expect(body['data']).toMatchObject({ finalUrl: site.origin + url, statusCode, hops: [], loop: false });
  });

  test('a loop is a result', async () => {
    const { status, body } = await ask('/url/loop-a');
    expect(status).toBe(200);
    expect(body['data']).toMatchObject({
      loop: true,
      finalUrl: `${site.origin}/url/loop-a`,
      statusCode: 303,
    });
    expect(body['data'].hops.map((hop: { status: number }) => hop.status)).toEqual([302, 307, 303]);
  });

  test('the same URL with another cookie is no loop', async () => {
    const { body } = await ask('/url/cookie-first');
    expect(body['data']).toMatchObject({ loop: false, statusCode: 200, hops: [{ status: 302 }] });
  });

  test('a server that leads to itself once, and answers then, is no loop', async () => {
    for (const to of ['', 'b']) {
      const asked = { '/': 0, '/b': 0 };
      await using origin = await startOrigin((request, response) => {
        const at = request.url as keyof typeof asked;
        if (at === '/' && asked['/']++ > 0) response.end('here');
        else response.writeHead(302, { location: at === '/' ? `/${to}` : '/' }).end();
      });
      const { body } = await ask(origin.url);
      const hops = [{ url: origin.url }, ...(to === '' ? [] : [{ url: `${origin.url}b` }])];
      expect(body['data']).toMatchObject({ loop: false, statusCode: 200, finalUrl: origin.url, hops });
    }
  });

  test('a redirect to a target that is away tells where it would lead', async () => {
    const { status, body } = await ask('/url/to-dead');
    expect(status).toBe(200);
    expect(body['data']).toMatchObject({ finalUrl: `${deadOrigin}/gone`, statusCode: null });
    expect(body['meta'].warnings).toMatchObject([{ code: 'target_unreachable' }]);
  });

  test('a redirect that leaves the web, for an app, tells where', async () => {
    const { status, body } = await ask('/url/to-app');
    expect(status).toBe(200);
    expect(body['data']).toMatchObject({ finalUrl: 'market://details?id=quarry', statusCode: null });
    expect(body['meta'].warnings).toMatchObject([{ code: 'target_protocol_error' }]);
  });

  test('bytes in a Location are UTF-8, and a canonical may be a header', async () => {
    expect((await ask('/url/unicode')).body['data'].finalUrl).toMatch(/\?n=%C3%A4$/);
    site.serve('/url/long-canonical', `<link rel=canonical href="/${'a'.repeat(70_000)}">`);
    expect((await ask('/url/long-canonical')).body['data'].canonical).toBe(null);
    expect((await ask('/url/canonical-header')).body['data'].canonical).toBe('https://example.com/canonical');
  });

  test.each([
    ['/to-plain', true, 'http'],
    ['/meta-to-plain', true, 'meta'],
    ['/to-secure', false, 'http'],
  ])('from https, %s: downgraded %s', async (target, downgradedToHttp, kind) => {
    const { body } = await ask(secureUrl(target), { verifyTls: false });
    const finalUrl = downgradedToHttp ? `${site.origin}/url/end` : secureUrl('/end');
    expect(body['data']).toMatchObject({ downgradedToHttp, finalUrl, hops: [{ kind }] });
  });

  test('from http to https is no downgrade, and a certificate that nobody trusts is told', async () => {
    const url = `/url/to?url=${encodeURIComponent(secureUrl('/end'))}`;
    const trusting = await ask(url, { verifyTls: false });
    expect(trusting.body['data']).toMatchObject({ downgradedToHttp: false, finalUrl: secureUrl('/end') });
    const { body } = await ask(url);
    expect(body['data']).toMatchObject({ finalUrl: secureUrl('/end'), statusCode: null });
    expect(body['meta'].warnings).toMatchObject([{ code: 'target_tls_failed' }]);
    expect((await ask(secureUrl('/end'))).body).toMatchObject({ status: 502, code: 'target_tls_failed' });
  });

  test('refreshes in a circle are a loop', async () => {
    const { body } = await ask('/url/refresh-a');
    expect(body['data']).toMatchObject({ loop: true, finalUrl: `${site.origin}/url/refresh-a` });
    expect(body['data'].hops.map((hop: { kind: string }) => hop.kind)).toEqual(['meta', 'meta']);
  });

  test.each([
    ['/redirect-hops?left=12', 502, 'too_many_redirects'],
    ['/redirect-private', 403, 'url_not_allowed'],
    ['http://10.0.0.1/', 403, 'url_not_allowed'],
    [`${deadOrigin}/`, 502, 'target_unreachable'],
    ['javascript:alert(1)', 400, 'invalid_request'],
  ])('%s: %s %s', async (url, status, code) => {
    expect((await ask(url)).body).toMatchObject({ status, code });
  });

  test('no key', async () => {
    expect((await call(path, { key: null, body: { url: site.origin } })).body).toMatchObject({
      code: 'key_missing',
    });
  });
});
