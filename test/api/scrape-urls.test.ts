import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call } from '../support/client.ts';
import { startOrigin } from '../support/egress-origin.ts';
import { startSite, type Site } from '../support/site.ts';
import { deadOrigin } from '../support/site/page.ts';

const batchPath = '/api/proxy/web/v1/scrape/urls';
let site: Site;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.close());

const batch = (urls: string[], options: Record<string, unknown> = {}) =>
  call(batchPath, { body: { urls, render: 'http', ...options } });

describe('scrape/urls', () => {
  test('100 URLs, 10 of them broken in 10 ways: 90 right, 10 right codes, in order', async () => {
    const broken: [string, string][] = [
      ['not a url', 'invalid_request'],
      ['ftp://example.com/file', 'invalid_request'],
      ['http://user:pw@example.com/', 'invalid_request'],
      ['http://10.0.0.1/', 'url_not_allowed'],
      [`${deadOrigin}/`, 'target_unreachable'],
      [`${site.origin}/redirect-loop`, 'too_many_redirects'],
      [`${site.origin}/not-http`, 'target_protocol_error'],
      [`${site.origin}/never-answers`, 'target_timeout'],
      [`${site.origin}/image.png`, 'unsupported_content'],
      [`https://127.0.0.1:${site.port}/`, 'target_tls_failed'],
    ];
    const urls = Array.from({ length: 100 }, (_, index) =>
      index % 10 === 3 ? (broken[(index - 3) / 10]?.[0] ?? '') : `${site.origin}/article?n=${index}`,
    );
    const { status, body } = await batch(urls, { timeout: 8_000, formats: ['text'] });
    expect(status).toBe(200);
    expect(body['data']).toMatchObject({ succeeded: 90, failed: 10 });
    const { results } = body['data'];
    expect(results.map((entry: { url: string }) => entry.url)).toEqual(urls);
    const codes = results.flatMap((entry: { error?: { code: string } }) => entry.error?.code ?? []);
    expect(codes).toEqual(broken.map(([, code]) => code));
    for (const [index, entry] of results.entries()) {
      if (entry.ok) expect(entry.data).toMatchObject({ url: urls[index], statusCode: 200 });
      else expect(entry.error).toMatchObject({ status: expect.any(Number), detail: expect.any(String) });
    }
  });

  test('the same URL twice is read once and answered twice', async () => {
    const url = `${site.origin}/article?twice`;
    const { body } = await batch([url, '', url]);
    expect(body['data'].results.map((entry: { ok: boolean }) => entry.ok)).toEqual([true, false, true]);
    expect(body['data'].results[1].error.code).toBe('invalid_request');
    expect(site.requests.filter((one) => one.path === '/article?twice')).toHaveLength(1);
  });

  test('a URL that is too long is an entry with its error, not the end of the others', async () => {
    const long = `${site.origin}/${'x'.repeat(9_000)}`;
    const { status, body } = await batch([`${site.origin}/article?short`, long]);
    expect(status).toBe(200);
    expect(body['data']).toMatchObject({ succeeded: 1, failed: 1 });
    expect(body['data'].results[1]).toMatchObject({
      url: long,
      error: { code: 'invalid_request', status: 400 },
    });
  });

  test('past 64 MB of results together the entries say so, and the batch ends well', async () => {
    const bytes = Buffer.alloc(9_000_000, 'quarry ');
    await using large = await startOrigin((request, response) =>
      response
        .setHeader('content-type', 'text/plain')
        .end(request.url === '/small' ? 'It still fits.' : bytes),
    );
    const urls = [...Array.from({ length: 8 }, (_, n) => `${large.url}?n=${n}`), `${large.url}small`];
    const { status, body } = await batch(urls);
    expect(status).toBe(200);
    expect(body['data']).toMatchObject({ succeeded: 8, failed: 1 });
    const { results } = body['data'];
    expect(results.map((entry: { url: string }) => entry.url)).toEqual(urls);
    for (const entry of results.slice(0, 7)) expect(entry.data.html).toHaveLength(bytes.length);
    expect(results[7].error).toMatchObject({ code: 'target_too_large', status: 422 });
    expect(results[8].data.html).toBe('It still fits.');
  }, 180_000);

  test.each([
    ['no URL', { urls: [] }],
    ['too many', { urls: Array.from({ length: 101 }, (_, n) => `http://127.0.0.1/${n}`) }],
    ['an unknown field', { urls: ['http://127.0.0.1/'], url: 'http://127.0.0.1/' }],
    ['a wait without a browser', { urls: ['http://127.0.0.1/'], render: 'http', waitFor: 'load' }],
  ])('%s is invalid_request', async (_what, body) => {
    expect((await call(batchPath, { body })).body).toMatchObject({ status: 400, code: 'invalid_request' });
  });

  test('no key', async () => {
    const answer = await call(batchPath, { key: null, body: { urls: [site.origin] } });
    expect(answer.body).toMatchObject({ status: 401, code: 'key_missing' });
  });
});
