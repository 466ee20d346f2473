import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, scrapePath } from '../support/client.ts';
import { startSite, type Site } from '../support/site.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.close());

/** A page that no other test has asked for. */
const freshUrl = (path = '/article') => `${site.origin}${path}?once=${randomUUID()}`;
const scrape = (url: string, options: Record<string, unknown> = {}) =>
  call(scrapePath, { body: { url, render: 'http', ...options } });
const requestsFor = (url: string) => site.requests.filter((one) => site.origin + one.path === url).length;

describe('maxAge', () => {
  test('a copy that is young enough is answered, and its age is told', async () => {
    const url = freshUrl();
    const first = await scrape(url);
    expect(first.body['meta'].cache).toEqual({ state: 'bypass', ageSeconds: null });
    const second = await scrape(url, { maxAge: 60_000, formats: ['links', 'text'] });
    expect(second.body['meta'].cache).toEqual({ state: 'hit', ageSeconds: expect.any(Number) });
    expect(second.body['data'].title).toBe(first.body['data'].title);
    expect(second.body['data'].links).not.toEqual([]);
    expect(requestsFor(url)).toBe(1);
  });

  test('the copy of a large page is the page, and so is its result in a batch', async () => {
    const url = freshUrl('/large-text');
    const { html } = (await scrape(url, { maxAge: 60_000 })).body['data'];
    expect(html.split('<p>Schöner Schiefer 🪨 "in Platten"</p>')).toHaveLength(40_001);
    const second = await scrape(url, { maxAge: 60_000 });
    expect(second.body['meta'].cache.state).toBe('hit');
    expect(second.body['data'].html === html).toBe(true);
    const body = { urls: [url, freshUrl()], render: 'http', maxAge: 60_000 };
    const batch = await call(`${scrapePath}/urls`, { body });
    expect(batch.body['data'].results[0].data.html === html).toBe(true);
  });

  test('without a copy, and with one that is too old, the page is loaded', async () => {
    const url = freshUrl();
    expect((await scrape(url, { maxAge: 60_000 })).body['meta'].cache.state).toBe('miss');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await scrape(url, { maxAge: 1 })).body['meta'].cache.state).toBe('miss');
    expect(requestsFor(url)).toBe(2);
  });

  test('a fragment is no other page; everything that is sent to the target is', async () => {
    const url = freshUrl('/echo-cacheable');
    await scrape(url);
    const part = await scrape(`${url}#part`, { maxAge: 60_000 });
    expect(part.body['meta'].cache.state).toBe('hit');
    expect(part.body['data'].finalUrl).toBe(`${url}#part`);
    expect((await scrape(url, { maxAge: 60_000 })).body['data'].finalUrl).toBe(url);
    for (const other of [
      { userAgent: 'Other/1.0' },
      { locale: 'de' },
      { mobile: true },
      { verifyTls: false },
    ]) {
      expect((await scrape(url, { maxAge: 60_000, ...other })).body['meta'].cache.state).toBe('miss');
    }
  });

  test('where a browser may read the fragment it is another page', async () => {
    const url = freshUrl('/article');
    await scrape(`${url}#/one`, { render: 'auto', maxAge: 60_000 });
    const other = await scrape(`${url}#/two`, { render: 'auto', maxAge: 60_000 });
    expect(other.body['meta'].cache.state).toBe('miss');
    const again = await scrape(`${url}#/two`, { render: 'auto', maxAge: 60_000 });
    expect(again.body['meta'].cache.state).toBe('hit');
    expect(again.body['data'].finalUrl).toBe(`${url}#/two`);
  });

  test('a page asked for with headers or cookies is never shared', async () => {
    const url = freshUrl('/echo-cacheable');
    const own = { maxAge: 60_000, headers: { 'X-Own': 'secret' } };
    for (const options of [own, own, { maxAge: 60_000, cookies: { session: 'secret' } }]) {
      expect((await scrape(url, options)).body['meta'].cache.state).toBe('bypass');
    }
    const plain = await scrape(url, { maxAge: 60_000 });
    expect(plain.body['meta'].cache.state).toBe('miss');
    expect(plain.body['data'].html).not.toContain('secret');
  });

  test.each(['/echo', '/status', '/wall/cloudflare', '/lying-length'])(
    '%s leaves no copy: not to be stored, an error, a challenge, cut short',
    async (path) => {
      const url = freshUrl(path);
      await scrape(url);
      expect((await scrape(url, { maxAge: 60_000 })).body['meta'].cache.state).toBe('miss');
    },
  );

  test('a page whose scripts were ended leaves no copy', async () => {
    const url = freshUrl('/endless-dialogs');
    const first = await scrape(url, { render: 'browser' });
    expect(first.body['meta'].warnings).toMatchObject([{ code: 'scripts_ended' }]);
    const again = await scrape(url, { render: 'browser', maxAge: 60_000 });
    expect(again.body['meta'].cache.state).toBe('miss');
  });

  test('a rendered page is kept as well', async () => {
    const url = freshUrl('/app');
    expect((await scrape(url, { render: 'auto' })).body['data'].engine).toBe('browser');
    const again = await scrape(url, { render: 'auto', maxAge: 60_000 });
    expect(again.body['meta'].cache.state).toBe('hit');
    expect(again.body['data'].engine).toBe('browser');
  });
});

test.concurrent("a rendered page in flight is rendered once, unless it is a client's own", async () => {
  const url = `${freshUrl('/slow')}&wait=6000`;
  const rendered = (options = {}) => scrape(url, { render: 'browser', ...options });
  const answers = await Promise.all([rendered(), rendered(), rendered({ cookies: { a: '1' } })]);
  expect(answers.map((answer) => answer.body['data'].engine)).toEqual(Array(3).fill('browser'));
  expect(requestsFor(url)).toBe(2);
});

test.concurrent('identical pages in flight are loaded once', async () => {
  const url = `${freshUrl('/slow')}&wait=5000`;
  const answers = await Promise.all(Array.from({ length: 6 }, () => scrape(url)));
  expect(answers.map((answer) => answer.body['data'].title)).toEqual(Array(6).fill('Slow'));
  expect(requestsFor(url)).toBe(1);
});
