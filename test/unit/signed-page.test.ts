import { expect, test } from 'vitest';
import extractPage from '../../src/workers/extract/extract-page.ts';

const text = [1, 2, 3]
  .map(
    (n) =>
      `<p>Part ${n}: the block has to be wet when it is split, or the sheets break at the edges, as the old hands of the quarry say.</p>`,
  )
  .join('');
const h1 = '<h1>How slate is split</h1>';
const time = '<time datetime="2024-05-01">1 May 2024</time>';
const factsOf = (body: string, { path = 'slate-is-split/', head = '' } = {}) => {
  const { byline, publishedAt } = extractPage({
    html: `<!doctype html><title>How slate is split</title>${head}<body><header><a href=/>Slate</a></header>${body}<footer>© 2024</footer>`,
    url: `http://site.example/${path}`,
  });
  return [byline, publishedAt?.slice(0, 10) ?? null];
};

test.each([
  [
    'a marked writer',
    `<article>${h1}<p class=byline>By <a rel=author href=/jo>Jo Field</a></p>${time}${text}</article>`,
    'Jo Field',
  ],
  ['a line of the writer', `<main>${h1}<p>By Jo Field</p><p>${time}</p>${text}</main>`, 'Jo Field'],
  ['a time', `<main>${h1}<p><i>${time}</i></p>${text}</main>`, null],
  ['a time above the title', `<article><div>${time}</div>${h1}${text}</article>`, null],
  [
    'other articles behind it',
    `<main><article>${h1}<p>By Jo Field</p>${time}${text}</article><section>${'<article class=card><h3>Clay</h3></article>'.repeat(3)}</section></main>`,
    'Jo Field',
  ],
])('what somebody wrote is told by %s', (_, body, byline) => {
  for (const path of ['slate-is-split/', 'page.html', ''])
    expect(factsOf(body, { path })).toEqual([byline, '2024-05-01']);
});

test.each([
  ['a line of the writer', `<main>${h1}<p>By Jo Field</p><p>May 1, 2024</p>${text}</main>`, 'Jo Field'],
  [
    'how long it takes to read',
    `<article>${h1}<div>May 1, 2024 · 2 min · Jo Field</div>${text}</article>`,
    'Jo Field',
  ],
  [
    'a line of the writer, without an article',
    `<div>${h1}<p>作者：李明</p><p>2024-05-01 19:30</p>${text}</div>`,
    '李明',
  ],
])('a bare day is none of publication where somebody wrote by %s', (_, body, byline) => {
  for (const path of ['slate-is-split/', 'page.html', ''])
    expect(factsOf(body, { path })).toEqual([byline, null]);
});

test('the only article of the markup is one', () => {
  const item = `<div itemscope itemtype="http://schema.org/BlogPosting">${h1}<p><span class=p-author itemprop=author>Jo Field</span> <time itemprop=datePublished datetime="2024-05-01">May 1</time></p>${text}</div>`;
  expect(factsOf(item)).toEqual(['Jo Field', '2024-05-01']);
  expect(factsOf(item, { path: 'docs/slate/' })).toEqual([null, null]);
});

const entries = (part: (n: number) => string): string => [1, 2, 3].map(part).join('');
test.each([
  [
    'goods',
    `<main itemscope itemtype="http://schema.org/Product">${h1}<p>By Jo Field</p>${time}${text}</main>`,
  ],
  ['a manual with the day of its change', `<main>${h1}<p>Last updated: ${time}</p>${text}</main>`],
  ['a time behind the text', `<main>${h1}${text}<p>${time}</p></main>`],
  ['a time of nothing in particular', `<div>${h1}<p>${time}</p>${text}</div>`],
  ['a title without text', `<main>${h1}<p>By Jo Field</p>${time}<p>Read on.</p></main>`],
  [
    'entries of a list',
    `<main>${h1}${entries((n) => `<div class=card><p>By Jo Field</p>${time}<a href=/${n}>Slate ${n}</a>${text}</div>`)}</main>`,
  ],
  [
    'articles in a list',
    `<main>${h1}<p>By Jo Field</p>${entries((n) => `<article>${time}<h2>Slate ${n}</h2>${text}</article>`)}</main>`,
  ],
  [
    'an event',
    `<script type="application/ld+json">{"@type":"Event","name":"Slate"}</script><main>${h1}<p>By Jo Field</p>${time}${text}</main>`,
  ],
])('%s: no writer, no day of publication', (_, body) => {
  expect(factsOf(body)).toEqual([null, null]);
});

test.each([
  'May 1, 2024 · 2 min · Public affairs',
  'May 1, 2024 · 2 min · Stone',
  '2 min · Jo Field · Clay Hill',
])('no name in %s', (line) => {
  expect(factsOf(`<article>${h1}<div>${line}</div>${text}</article>`, { path: 'posts/slate' })[0]).toBe(null);
});
