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
    'a line of its own beside a marked writer',
    `<article>${h1}<p class=byline>By <a rel=author href=/jo>Jo Field</a></p>${time}${text}</article>`,
  ],
  [
    'a line of its own beside a line of the writer',
    `<main>${h1}<p>By Jo Field</p><p><i>${time}</i></p>${text}</main>`,
  ],
  ['the byline', `<article>${h1}<p>By <a rel=author href=/jo>Jo Field</a> · ${time}</p>${text}</article>`],
  ['a line of publication', `<main>${h1}<p>By Jo Field</p><p>Posted on ${time}</p>${text}</main>`],
  [
    'an article before others',
    `<main><article>${h1}<p>By Jo Field</p>${time}${text}</article><section>${'<article class=card><h3>Clay</h3></article>'.repeat(3)}</section></main>`,
  ],
])('what somebody wrote is told by a writer and a time in %s', (_, body) => {
  for (const path of ['slate-is-split/', 'page.html', '?p=12'])
    expect(factsOf(body, { path })).toEqual(['Jo Field', '2024-05-01']);
  expect(factsOf(body, { path: '' })).toEqual([null, null]);
});

test('the only post of the markup is one', () => {
  const item = (type: string, day = '<time itemprop=datePublished datetime="2024-05-01">May 1</time>') =>
    `<div itemscope itemtype="http://schema.org/${type}">${h1}<p><span class=p-author itemprop=author>Jo Field</span> ${day}</p>${text}</div>`;
  expect(factsOf(item('BlogPosting'))).toEqual(['Jo Field', '2024-05-01']);
  expect(factsOf(item('NewsArticle'))).toEqual(['Jo Field', '2024-05-01']);
  expect(factsOf(item('BlogPosting'), { path: 'docs/slate/' })).toEqual([null, null]);
  expect(factsOf(item('BlogPosting', 'May 1, 2024'))).toEqual([null, null]);
  // Content systems call any page that.
  expect(factsOf(item('Article'))).toEqual([null, null]);
});

const alone = [
  `${time} · Berlin`,
  `Starts ${time}`,
  `Next meeting: ${time}`,
  `Apply by ${time}`,
  `Effective ${time}`,
  `In force from ${time}`,
  `Open today until ${time}`,
  `Released ${time}`,
  `${time}`,
  'By Acme',
  'By <a href=/brands/ikea>Ikea Home</a>',
  'By Acme Tools',
  'By Hilton Hotels',
  'By Appointment Only',
  'By Rem van Rijn, 1642',
  'By Jo Field, May 1, 2024',
  'May 1, 2024 · 2 min · Jo Field',
];
test.each(alone)('%s alone tells of nobody who wrote it', (line) => {
  expect(factsOf(`<main>${h1}<p>${line}</p>${text}</main>`)).toEqual([null, null]);
});

test.each(alone.slice(0, 8))('beside a line of a writer, %s is no day of publication', (line) => {
  expect(factsOf(`<main>${h1}<p>By Jo Field</p><p>${line}</p>${text}</main>`)).toEqual([null, null]);
});

test.each(['Saturday, 5 July 2025', 'Sale until 3 May 2024'])('an Article of a fete: %s', (line) => {
  const body = `<div itemscope itemtype="https://schema.org/Article">${h1}<div itemprop=articleBody><p>${line}</p>${text}</div></div>`;
  expect(factsOf(body)).toEqual([null, null]);
});

const entries = (part: (n: number) => string): string => [1, 2, 3].map(part).join('');
test.each([
  [
    'goods',
    `<main itemscope itemtype="http://schema.org/Product">${h1}<p>By Jo Field</p>${time}${text}</main>`,
  ],
  ['a manual with the day of its change', `<main>${h1}<p>Last updated: ${time}</p>${text}</main>`],
  ['a time behind the text', `<main>${h1}${text}<p>${time}</p></main>`],
  ['a page without an article', `<div>${h1}<p>By Jo Field</p><p>${time}</p>${text}</div>`],
  ['a time above the title', `<main><div>Sale ends ${time}</div>${h1}<p>By Jo Field</p>${text}</main>`],
  [
    'a list of two',
    `<main>${h1}${[1, 2].map((n) => `<div class=card><h2>Slate ${n}</h2><p>${time}</p>${text}</div>`).join('')}</main>`,
  ],
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
  'May 1, 2024 · 2 min read · Machine Learning',
  'Product News | 3 min read | May 1, 2024',
  'Company News · May 1, 2024 · 3 min read',
  'May 1, 2024 • 90 min • New York',
  '15 min | May 1, 2024 | Free Trial',
])('no name in %s', (line) => {
  expect(factsOf(`<article>${h1}<div>${line}</div>${text}</article>`, { path: 'posts/slate' })[0]).toBe(null);
});

test('a name behind a day and the minutes it takes to read', () => {
  const body = `<article>${h1}<div>May 1, 2024 · 2 min · Jo Field</div>${text}</article>`;
  expect(factsOf(body, { path: 'posts/slate' })).toEqual(['Jo Field', '2024-05-01']);
});

test.each(['http://blog.site.example/announcement', 'http://news.site.example/index.php?id=12'])(
  'the day of a post on a host of posts: %s',
  (url) => {
    const html = `<title>Slate</title><div><h1>Slate</h1><p>May 3, 2024</p>${text}</div>`;
    expect(extractPage({ html, url }).publishedAt).toBe('2024-05-03');
  },
);

test('a line that begins as the title does is no title outside of threads', () => {
  const html = `<title>Slate</title><div>Slate since 1990</div><p>By Roof Tiles</p>${'<p>Filler.</p>'.repeat(30)}<h2>Today</h2>${text}`;
  expect(extractPage({ html, url: 'http://site.example/blog/slate' }).byline).toBe(null);
});
