import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { choosePages } from '../../src/workers/summarize/choose-pages.ts';
import { call } from '../support/client.ts';
import { type Site, startSite } from '../support/site.ts';
import { deadOrigin } from '../support/site/page.ts';
import { orderingPages, villageSite } from '../support/site/villages.ts';

const base = '/api/proxy/web/v1';
let site: Site;
beforeAll(async () => {
  site = await startSite();
  for (const [path, html] of Object.entries({ ...villageSite, ...orderingPages })) site.serve(path, html);
});
afterAll(() => site.close());

const summarize = (path: string, body: Record<string, unknown>) =>
  call(`${base}/summarize/${path}`, { body: { render: 'http', ...body } });

const squeeze = (text: string) => text.replace(/\s+/g, ' ');
/** What a reader of the page sees, roughly: enough to find quotes in. */
const seen = (html: string) => squeeze(html.replace(/<[^>]+>/g, ' '));

describe('a summary without any provider', () => {
  test('is made of sentences of the page, each with its place as a quote', async () => {
    const { status, body } = await summarize('url', { url: `${site.origin}/villages/alto` });
    expect(status).toBe(200);
    const { data } = body;
    expect(data).toMatchObject({
      url: `${site.origin}/villages/alto`,
      title: 'Alto',
      language: 'en',
      model: 'quarry/extractive',
      usage: null,
      truncated: false,
    });
    expect(data.summary).toContain('The village of Alto lies in a narrow valley');
    expect(data.wordCount).toBeGreaterThan(60);
    expect(data.topics.length).toBeGreaterThan(0);
    expect(data.citations.length).toBeGreaterThan(2);
    for (const { quote } of data.citations)
      expect(seen(villageSite['/villages/alto'] ?? '')).toContain(quote);
  });

  test('is as long as asked, about what is asked', async () => {
    const url = `${site.origin}/villages/alto`;
    const [short, long, focused] = await Promise.all([
      summarize('url', { url, length: 'short' }),
      summarize('url', { url, length: 'long' }),
      summarize('url', { url, length: 'short', focus: 'When does the bus go?' }),
    ]);
    expect(short?.body['data'].summary.length).toBeLessThan(long?.body['data'].summary.length);
    expect(short?.body['data'].summary).not.toContain('A bus goes down');
    expect(focused?.body['data'].summary).toContain('A bus goes down');
  });

  test('keeps to the language of the page, and says so', async () => {
    const { body } = await summarize('url', { url: `${site.origin}/villages/alto`, language: 'de' });
    expect(body['meta'].warnings).toMatchObject([{ code: 'language_kept' }]);
  });

  test('of a login page says what it is, also in a list and of a website', async () => {
    const url = `${site.origin}/members`;
    const text = 'The members of the village meet here every week. Please sign in to read on.';
    site.serve('/members', `<title>Members</title><p>${text}</p><form><input type="password"></form>`);
    const [one, several, whole] = await Promise.all([
      summarize('url', { url }),
      summarize('urls', { urls: [url] }),
      summarize('website', { url, depth: 0 }),
    ]);
    const warnings = [{ code: 'login_wall' }];
    expect(one?.body).toMatchObject({ meta: { warnings } });
    expect(several?.body).toMatchObject({ data: { items: [{ ok: true, warnings }] } });
    expect(whole?.body).toMatchObject({ data: { pages: [{ warnings }] } });
  });

  test('of several pages has one entry each, and what they say together', async () => {
    const urls = ['/villages/alto', '/nothing-here-at-all', '/villages/brun'].map(
      (path) => site.origin + path,
    );
    urls[1] = 'http://10.0.0.1/';
    const { status, body } = await summarize('urls', { urls, combine: true });
    expect(status).toBe(200);
    const { items, combined, succeeded, failed } = body['data'];
    expect([succeeded, failed]).toEqual([2, 1]);
    expect(items.map(({ ok }: { ok: boolean }) => ok)).toEqual([true, false, true]);
    expect(items[1].error.code).toBe('url_not_allowed');
    expect(combined).toMatchObject({ model: 'quarry/extractive', usage: null });
    expect(combined.summary).not.toBe('');
    for (const { quote, url } of combined.citations) {
      expect(seen(villageSite[new URL(url).pathname] ?? '')).toContain(quote);
    }
  });

  test('of a website goes along its links, and tells what it left out and why', async () => {
    const { status, body } = await summarize('website', { url: `${site.origin}/villages`, maxPages: 4 });
    expect(status).toBe(200);
    const { site: said, pages, skipped, model, usage } = body['data'];
    expect(model).toBe('quarry/extractive');
    expect(usage).toBeNull();
    expect(said).toMatchObject({
      url: `${site.origin}/villages`,
      title: 'Valley',
      purpose: null,
      audience: null,
    });
    expect(said.summary).not.toBe('');
    expect(pages.map(({ url, depth }: any) => [new URL(url).pathname, depth])).toEqual([
      ['/villages', 0],
      ['/villages/alto', 1],
      ['/villages/brun', 1],
      ['/villages/corva', 1],
    ]);
    for (const page of pages) expect(page.summary).toContain(page.title);
    expect(
      Object.fromEntries(skipped.map(({ url, reason }: any) => [new URL(url).pathname, reason])),
    ).toEqual({
      '/villages/drenn': 'page_limit',
      '/villages/elmo': 'page_limit',
      '/villages/missing': 'http_404',
    });
    expect(body['meta'].warnings ?? []).toEqual([]);
  });

  test('of a website has the title of its root, also where that says nothing to summarise', async () => {
    site.serve('/hub', '<title>The hub</title><a href="/villages/alto"><img src="/image.png"></a>');
    const { body } = await summarize('website', { url: `${site.origin}/hub`, maxPages: 2 });
    expect(body['data']).toMatchObject({
      site: { title: 'The hub' },
      pages: [{ error: 'unsupported_content' }, { title: 'Alto' }],
    });
  });

  test('of a website tells that it has more pages than were looked at, and names them', async () => {
    const links = Array.from({ length: 12 }, (_, at) => `<a href="/many/${at}">${at}</a>`).join('');
    site.serve('/many', `<title>Many</title><p>The village lies in a narrow valley.</p>${links}`);
    const { body } = await summarize('website', { url: `${site.origin}/many`, maxPages: 1 });
    const reasons = body['data'].skipped.map(({ reason }: any) => reason);
    expect(reasons.filter((reason: string) => reason === 'page_limit')).toHaveLength(6);
    expect(reasons).toHaveLength(12);
    expect(body['meta'].warnings).toMatchObject([{ code: 'pages_left_out' }]);
  });

  test('of a website leaves out what redirects out of it', () => {
    const page = { depth: 1, title: null, type: 'text/html', error: null };
    const found = [200, 302].map((status) => ({ ...page, url: `http://a.example/${status}`, status }));
    const { pages, skipped } = choosePages(found, { blockedByRobots: [] }, 9);
    expect(pages).toEqual(found.slice(0, 1));
    expect(skipped).toEqual([{ url: 'http://a.example/302', reason: 'http_302' }]);
  });
});

describe('what cannot be summarised', () => {
  test('a model that is not listed is `unknown_model`, and the answer names those that are', async () => {
    for (const path of ['url', 'website']) {
      const { status, body } = await summarize(path, {
        url: `${site.origin}/villages`,
        model: 'openai/gpt-99',
      });
      expect(status).toBe(400);
      expect(body).toMatchObject({
        code: 'unknown_model',
        detail: expect.stringContaining('quarry/extractive'),
      });
    }
  });

  test('a page that cannot be read is its error', async () => {
    const { status, body } = await summarize('url', { url: `${deadOrigin}/` });
    expect([status, body['code']]).toEqual([502, 'target_unreachable']);
  });

  test.each([
    ['url', { url: 'https://example.com/', length: 'huge' }],
    ['url', { url: 'https://example.com/', language: 'german' }],
    ['url', { url: 'https://example.com/', focus: 'x'.repeat(1_001) }],
    ['url', { url: 'ftp://example.com/' }],
    ['urls', { urls: Array.from({ length: 21 }, (_, at) => `https://example.com/${at}`) }],
    ['website', { url: 'https://example.com/', depth: 4 }],
    ['website', { url: 'https://example.com/', maxPages: 51 }],
  ])('a request that is wrong is refused: %s %j', async (path, body) => {
    expect((await summarize(path, body)).body['code']).toBe('invalid_request');
  });

  test('no key, no summary', async () => {
    const { status } = await call(`${base}/summarize/url`, { key: null, body: { url: site.origin } });
    expect(status).toBe(401);
  });
});

test.each(['web', 'video'])(
  'the models of the %s proxy are the built-in one where none is set',
  async (proxy) => {
    const { status, body } = await call(`/api/proxy/${proxy}/v1/ai/models`);
    expect(status).toBe(200);
    expect(body['data'].models).toEqual([
      {
        id: 'quarry/extractive',
        name: 'extractive',
        provider: 'quarry',
        contextLength: null,
        default: true,
        available: true,
        local: true,
      },
    ]);
  },
);
