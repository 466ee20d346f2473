import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { call, scrapePath, screenshotPath } from '../support/client.ts';
import { startSite, type Site } from '../support/site.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.close());

/** The site listens on 127.0.0.1 alone: at this address only the proxy of the stack's EGRESS_PROXY finds it. */
const beyond = (path: string) => `http://127.0.0.7:${site.port}${path}`;
/** The same by a proxy that is dead; 127.0.0.8 itself would refuse. */
const cutOff = (path: string) => `http://127.0.0.8:${site.port}${path}`;

describe('a host that EGRESS_PROXY gives a proxy', () => {
  test.each(['http', 'browser'])('is read through it by the engine %s', async (render) => {
    const { status, body } = await call(scrapePath, { body: { url: beyond('/article'), render } });
    expect([status, body['data']?.statusCode, body['data']?.engine]).toEqual([200, 200, render]);
    expect(body['data'].title).not.toBe('');
  });

  test('is shot through it', async () => {
    const { status, body } = await call(screenshotPath, { body: { url: beyond('/article') } });
    expect([status, body['data']?.statusCode]).toEqual([200, 200]);
  });

  test('is sent webhooks through it', async () => {
    const receiver = beyond('/webhook');
    await call(scrapePath, {
      body: { url: `${site.origin}/article` },
      headers: { 'X-Webhook-Url': receiver },
    });
    await vi.waitUntil(() => site.hits('/webhook') > 0, { timeout: 20_000, interval: 50 });
  });
});

describe('a host whose proxy is dead', () => {
  test.each([
    ['scrape', scrapePath, { render: 'http' }],
    ['scrape in the browser', scrapePath, { render: 'browser' }],
    ['screenshot', screenshotPath, {}],
    ['extract', '/api/proxy/web/v1/extract', {}],
    ['redirects', '/api/proxy/web/v1/url/get-url-after-redirects', {}],
    // Of the target nothing is known: it is neither alive nor dead.
    ['is-alive', '/api/proxy/web/v1/url/is-alive', {}],
  ])('is an error that names the cause: %s', async (_name, path, options) => {
    const { status, body } = await call(path, { body: { url: cutOff('/article'), ...options } });
    expect([status, body['code'], body['retryable']]).toEqual([502, 'egress_proxy_failed', true]);
    expect(body['detail']).toContain('EGRESS_PROXY');
    expect(body['detail']).not.toContain('127.0.0.1');
  });

  test('is an entry’s error in a list', async () => {
    const { status, body } = await call(`${scrapePath}/urls`, {
      body: { urls: [cutOff('/a'), `${site.origin}/article`] },
    });
    expect(status).toBe(200);
    const [failed, read] = body['data'].results;
    expect([failed.error.code, read.ok]).toEqual(['egress_proxy_failed', true]);
  });

  test('shows in the metrics, with the way that was taken', async () => {
    const read = async () => await (await fetch(new URL('/metrics', inject('stack').url))).text();
    const routesOf = (text: string, result: string) =>
      text
        .split('\n')
        .filter((line) => line.startsWith('quarry_egress_connections_total'))
        .filter((line) => line.includes(`result="${result}"`))
        .join('\n');
    // Each process tells its own from time to time.
    await expect.poll(async () => routesOf(await read(), 'proxy')).toMatch(/route="http:\/\/127\.0\.0\.1:1"/);
    await expect
      .poll(async () => routesOf(await read(), 'ok'))
      .toMatch(/route="http:\/\/127\.0\.0\.1:\d{2,}"/);
    await expect.poll(async () => routesOf(await read(), 'ok')).toMatch(/route="direct"/);
    const text = await read();
    expect(text).not.toContain('p@ss');
  });
});
