import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { call, scrapePath } from '../support/client.ts';
import { startSite, type Site } from '../support/site.ts';
import { deadOrigin } from '../support/site/page.ts';
import { readServiceLogs } from '../support/service.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.close());

const scrape = (body: Record<string, unknown>) =>
  call(scrapePath, { body: { ...body, url: site.origin + String(body['url']) } });

describe('a static page', () => {
  test('is read over plain HTTP, with its document and what it says about itself', async () => {
    const { status, body, headers } = await scrape({ url: '/article' });
    expect(status).toBe(200);
    expect(body['data']).toMatchObject({
      url: `${site.origin}/article`,
      finalUrl: `${site.origin}/article`,
      statusCode: 200,
      contentType: 'text/html',
      charset: 'utf-8',
      engine: 'http',
      truncated: false,
      redirects: [],
    });
    expect(body['data'].html).toMatch(/^<!doctype html>/i);
    expect(body['data'].title).not.toBe('');
    expect(body['data'].metadata.openGraph).not.toEqual({});
    expect(body['data'].metadata.jsonLd).not.toEqual([]);
    expect(body['data'].headers['content-type']).toBe('text/html; charset=utf-8');
    expect(body['data'].bytes).toBe(Buffer.byteLength(body['data'].html));
    expect(body['meta']).toMatchObject({
      requestId: headers.get('x-request-id'),
      jobId: headers.get('x-job-id'),
      cache: { state: 'bypass' },
      warnings: [],
    });
    expect(body['meta'].timings.totalMs).toBeGreaterThanOrEqual(body['meta'].timings.runMs);
  });

  test('without html in the formats html is null, and the rest is there', async () => {
    const { body } = await scrape({ url: '/article', formats: ['metadata'] });
    expect(body['data'].html).toBeNull();
    expect(body['data'].title).not.toBeNull();
  });

  test('redirects are told one by one', async () => {
    const { body } = await scrape({ url: '/redirect-hops?left=15' });
    expect(body['data'].finalUrl).toBe(`${site.origin}/article`);
    expect(body['data'].redirects).toHaveLength(15);
    expect(body['data'].redirects[0]).toMatchObject({
      status: 302,
      location: `${site.origin}/redirect-hops?left=14`,
    });
  });

  test("a target's own 404 is a result", async () => {
    const { status, body } = await scrape({ url: '/no-such-page' });
    expect(status).toBe(200);
    expect(body['data'].statusCode).toBe(404);
  });

  test('JSON and plain text come as they are', async () => {
    const json = await scrape({ url: '/data.json' });
    expect(JSON.parse(json.body['data'].html)).toBeTypeOf('object');
    expect(json.body['data']).toMatchObject({ contentType: 'application/json', metadata: null, title: null });
  });

  test('headers and cookies go to the target, and the user agent is the one asked for', async () => {
    const { body } = await scrape({
      url: '/echo',
      render: 'http',
      headers: { 'X-Own': 'yes' },
      cookies: { a: '1', b: '2' },
      userAgent: 'Own/1.0',
    });
    expect(body['data'].html).toMatch(/x-own\W+yes/i);
    expect(body['data'].html).toMatch(/a=1; b=2/);
    expect(body['data'].html).toContain('Own/1.0');
  });
});

describe('a page that scripts make', () => {
  test('is rendered by itself, where auto sees that it must be', async () => {
    const { body } = await scrape({ url: '/app' });
    expect(body['data'].engine).toBe('browser');
    expect(body['data'].charset).toBe('utf-8');
    expect(site.hits('/app')).toBe(2);
  });

  test('waitFor a selector answers the page with it', async () => {
    const { body } = await scrape({ url: '/late-element', waitFor: '#late' });
    expect(body['data'].engine).toBe('browser');
    expect(body['data'].html).toMatch(/id="?late/);
  });

  test('a selector that never comes is selector_not_found', async () => {
    const { status, body } = await scrape({ url: '/article', waitFor: '#never', timeout: 4_000 });
    expect(body).toMatchObject({ status: 422, code: 'selector_not_found' });
    expect(status).toBe(422);
  });

  test('a selector that is none is invalid_request', async () => {
    const { body } = await scrape({ url: '/article', waitFor: 'div[' });
    expect(body).toMatchObject({ status: 400, code: 'invalid_request' });
  });

  test('render http leaves it as it was sent', async () => {
    const { body } = await scrape({ url: '/app', render: 'http' });
    expect(body['data'].engine).toBe('http');
  });
});

describe('what goes wrong at the target has its own code', () => {
  test.each([
    ['a redirect loop', '/redirect-loop', {}, 502, 'too_many_redirects'],
    ['a redirect into a private network', '/redirect-private', {}, 403, 'url_not_allowed'],
    ['garbage in place of HTTP', '/not-http', {}, 502, 'target_protocol_error'],
    ['an archive', '/archive.zip', {}, 422, 'unsupported_content'],
    ['an image', '/image.png', {}, 422, 'unsupported_content'],
    ['an endless script', '/endless-script', { render: 'browser', timeout: 4_000 }, 504, 'page_unresponsive'],
    ['no answer in time', '/never-answers', { timeout: 1_000 }, 504, 'target_timeout'],
  ])('%s', async (_what, path, options, status, code) => {
    const answer = await scrape({ url: path, ...options });
    expect(answer.body).toMatchObject({ status, code });
    expect(answer.headers.get('x-job-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('a closed port', async () => {
    const answer = await call(scrapePath, { body: { url: `${deadOrigin}/` } });
    expect(answer.body).toMatchObject({ status: 502, code: 'target_unreachable' });
  });

  test('a name that does not exist', async () => {
    const answer = await call(scrapePath, { body: { url: 'http://no-such-name.invalid/' } });
    expect([403, 502]).toContain(answer.status);
  });

  test('a body that stalls is a truncated result by the deadline', async () => {
    const start = performance.now();
    const { body } = await scrape({ url: '/slow-body', render: 'http', timeout: 1_500 });
    expect(body['data'].truncated).toBe(true);
    expect(performance.now() - start).toBeLessThan(20_000);
  });
});

test('no key and no lookup id is in the logs of all these requests', async () => {
  const { key } = inject('stack');
  const logs = await readServiceLogs(inject('stack').home);
  expect(logs.length).toBeGreaterThan(1_000);
  expect(logs).not.toContain(key.slice(9, 30));
});
