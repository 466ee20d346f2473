import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call } from '../support/client.ts';
import { startSite, type Site } from '../support/site.ts';
import { quarryArticle } from '../support/site/content.ts';

const path = '/api/proxy/web/v1/extract';

let site: Site;
beforeAll(async () => {
  site = await startSite();
  site.serve('/content/article', quarryArticle);
});
afterAll(() => site.close());

const extract = (page: string, options: Record<string, unknown> = {}) =>
  call(path, { body: { url: site.origin + page, ...options } });

describe('an article', () => {
  let data: Record<string, unknown> & { text: string; html: string; images: Record<string, unknown>[] };
  beforeAll(async () => {
    data = (await extract('/content/article')).body['data'];
  });

  test('what the page says of itself', () => {
    expect(data).toMatchObject({
      url: `${site.origin}/content/article`,
      title: 'How slate is split',
      byline: 'Ada Quarryman',
      siteName: 'Stone Weekly',
      publishedAt: '2026-03-14T09:30:00+01:00',
      modifiedAt: '2026-03-15',
      language: 'en-GB',
      description: 'Why slate is split and never sawn, told by those who do it.',
      readingMinutes: 2,
    });
    expect(data['wordCount']).toBeGreaterThan(200);
    expect(data['confidence']).toBeGreaterThan(0.5);
  });

  test('the text is the article: no menu, comment, advertisement or related link', () => {
    for (const part of [
      'Slate is split along its cleavage',
      'The frost does half of the work',
      'Never leave a block',
    ]) {
      expect(data.text).toContain(part);
    }
    for (const part of [
      'Subscribe to our newsletter',
      'First comment',
      'More from Stone Weekly',
      'All rights reserved',
      'Marble prices',
    ]) {
      expect(data.text).not.toContain(part);
    }
    expect(data.text.split('\n\n').length).toBeGreaterThan(5);
  });

  test('its structure is kept, in order', () => {
    const order = ['<blockquote>', '<ol>', '<table>', 'class="language-python"', '<figcaption>'].map((part) =>
      data.html.indexOf(part),
    );
    expect(order.every((at) => at >= 0)).toBe(true);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });

  test('code that is highlighted line by line keeps its lines and indentation', () => {
    expect(data.html).toContain('def split(block):\n    for layer in block:\n        yield layer');
  });

  test('addresses are absolute; scripts, styles and class names are gone', () => {
    expect(data.html).toContain(`href="${site.origin}/glossary#cleavage"`);
    expect(data.html).not.toMatch(/<script|<style|onclick|style=|class="(?!language-)/);
  });

  test('images: the one that the page shows for itself first, then with captions and sizes', () => {
    expect(data.images).toEqual([
      { url: `${site.origin}/lead.jpg`, alt: null, caption: null, width: 1200, height: 630 },
      {
        url: `${site.origin}/splitting.jpg`,
        alt: 'A man with a chisel',
        caption: 'A splitter at work in 1908.',
        width: 640,
        height: 480,
      },
    ]);
  });
});

describe('what a client may say', () => {
  test('`selector` reads that element and nothing else', async () => {
    const { body } = await extract('/content/article', { selector: 'section.comments' });
    expect(body['data'].text).toContain('First comment');
    expect(body['data'].text).not.toContain('cleavage');
  });

  test('`excludeSelectors` takes elements out first', async () => {
    const { body } = await extract('/content/article', { excludeSelectors: ['table', 'pre'] });
    expect(body['data'].html).not.toMatch(/<table|<pre/);
    expect(body['data'].text).toContain('Slate is split along its cleavage');
  });

  test('a selector that matches nothing is selector_not_found, one that is none invalid_request', async () => {
    expect((await extract('/content/article', { selector: '#nowhere' })).body).toMatchObject({
      status: 422,
      code: 'selector_not_found',
    });
    expect((await extract('/content/article', { selector: 'p[[' })).body).toMatchObject({
      status: 400,
      code: 'invalid_request',
    });
  });
});

describe('pages that are not as they should be', () => {
  test.each([
    [
      '20,000 nested elements',
      `<p>Top of the page.</p>${'<div>'.repeat(20_000)}<p>Deep down there is text.</p>`,
      'Deep down',
    ],
    ['50,000 list items', `<ul>${'<li>An item of the list</li>'.repeat(50_000)}</ul>`, 'An item'],
    [
      'a table of 20,000 rows',
      `<table><tr><th>Name<th>Mass</tr>${'<tr><td>Slate block<td>12 kg</tr>'.repeat(20_000)}</table>`,
      'Slate block',
    ],
    [
      'JSON-LD that is nested 100,000 deep',
      `<script type="application/ld+json">${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}</script><p>The text of the page stands here.</p>`,
      'The text of the page',
    ],
  ])('%s', async (_name, html, expected) => {
    site.serve('/content/hostile', `<!doctype html><title>Large</title><body>${html}`);
    const { status, body } = await extract('/content/hostile', { render: 'http' });
    if (status === 200) expect(body['data'].text).toContain(expected);
    else expect(body).toMatchObject({ status: 422, code: 'target_too_large' });
  });

  test('an error page is read, with a warning that it is one', async () => {
    for (const code of [404, 503]) {
      const { status, body } = await extract(`/status?code=${code}`);
      expect([status, body['data'].text]).toEqual([200, expect.stringContaining(`The page for ${code}`)]);
      const message = expect.stringContaining(` ${code}: this is its error page`) as string;
      expect(body['meta'].warnings).toEqual([{ code: 'error_status', message }]);
    }
    const list = await call('/api/proxy/web/v1/convert/markdown/urls', {
      body: { urls: [`${site.origin}/status?code=410`, `${site.origin}/content/article`] },
    });
    const [gone, there] = list.body['data'].results;
    expect([gone.ok, gone.warnings?.[0].code, there.warnings]).toEqual([true, 'error_status', undefined]);
    const scraped = await call('/api/proxy/web/v1/scrape', { body: { url: `${site.origin}/status` } });
    expect([scraped.body['data'].statusCode, scraped.body['meta'].warnings]).toEqual([404, []]);
  });

  test('a page with hardly any text still answers it', async () => {
    site.serve('/content/short', '<!doctype html><title>Closed</title><body><p>Closed today.');
    const { body } = await extract('/content/short', { render: 'http' });
    expect(body['data'].text).toBe('Closed today.');
  });
});

test('a list: one entry a URL, in its order', async () => {
  const urls = [`${site.origin}/content/article`, 'http://127.0.0.1:1/', `${site.origin}/report.pdf`];
  const { body } = await call(`${path}/urls`, { body: { urls, render: 'http' } });
  expect(body['data']).toMatchObject({
    results: [
      { url: urls[0], ok: true, data: { title: 'How slate is split' } },
      { url: urls[1], ok: false },
      { url: urls[2], ok: true, data: { contentType: 'application/pdf' } },
    ],
    succeeded: 2,
    failed: 1,
  });
});
