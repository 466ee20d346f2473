import { expect, test } from 'vitest';
import extractPage from '../../src/workers/extract/extract-page.ts';

const day = '2024-03-14';
const other = '2020-05-03';
const split = '<p>It splits along its layers, as the old hands say, and they have split it all their lives.';
const read = (markup: string, path = 'blog/slate') =>
  extractPage({
    html: `<html lang=en><title>Slate</title><body>${markup}</body>`,
    url: `http://a.example/${path}`,
  });

test.each([
  [
    'a quoted post',
    `<blockquote class=twitter-tweet><p>It splits.</p>— Bo (@bo) <a href=https://t.example/1><time datetime=${other}>May 3, 2020</time></a></blockquote>`,
  ],
  ['a caption', `<figure><img src=/a.jpg><figcaption>The quarry on 3 May 2020</figcaption></figure>`],
  [
    'the foot of a quote',
    `<blockquote><p>It splits.</p><footer>Bo, <time datetime=${other}>3 May 2020</time></footer></blockquote>`,
  ],
  ['a sentence', `<p>The council was mandated on 3 May 2020 to look after the quarries of the valley.</p>`],
  [
    'the foot of the site',
    `</main><footer>The council meets again in the town hall on <time datetime=${other}>3 May</time>.</footer><main>`,
  ],
  [
    'an event far below',
    `${split.repeat(30)}<div class=event-box><p>Open day</p><time datetime=${other}>3 May</time></div>`,
  ],
])('the day of %s is not that of the page', (_, markup) => {
  expect(read(`<main><h1>Slate</h1>${split}${markup}${split}</main>`).publishedAt).toBeNull();
});

test.each([
  ['at the end', `${split.repeat(30)}<div class=post-meta><time datetime=${day}>then</time></div>`],
  [
    'below a menu',
    `<ul>${'<li><a href=/a>Slate</a>'.repeat(40)}</ul>${split}<p><time datetime=${day}>then</time></p>`,
  ],
])('the only time of a page is its day: %s', (_, markup) => {
  expect(read(`<article><h1>Slate</h1>${markup}</article>`).publishedAt).toBe(day);
});

test.each([
  'This article by Bo Mason was first published on March 14, 2024.',
  'Article first published in the Quarry Times on March 14, 2024.',
  'By Bo Mason for Quarry Times Published March 14, 2024.',
])('a sentence tells the day of the page: %s', (line) => {
  expect(read(`<article><h1>Slate</h1><p>${line}</p>${split}</article>`).publishedAt).toBe(day);
});

test('a line that says that it is the day of publication comes first', () => {
  const lines = '<p>The valley, May 3, 2020</p><p>Publication date: March 14, 2024</p>';
  expect(read(`<article><h1>Slate</h1>${lines}${split}</article>`).publishedAt).toBe(day);
});

test('the day of what the page is about is not its own', () => {
  const markup = `<h1>Slate</h1><p>Release date: May 3, 2020</p><p>By Bo Quarry, March 14, 2024</p>${split}`;
  expect(read(`<article>${markup}</article>`).publishedAt).toBe(day);
  const above = `<p>By Bo Quarry, March 14, 2024</p><h1>Slate</h1><p>Release date: May 3, 2020</p>${split}`;
  expect(read(`<article>${above}</article>`).publishedAt).toBe(day);
});

test('a day of the week may stand above the title in its article, not in the head of a newspaper', () => {
  const line = '<p>Thursday, March 14, 2024</p>';
  expect(read(`<article>${line}<h1>Slate</h1>${split}</article>`).publishedAt).toBe(day);
  expect(read(`${line}<article><h1>Slate</h1>${split}</article>`).publishedAt).toBeNull();
  const head = '<div class=masthead><p>Friday, May 10, 2024</p></div>';
  const byline = '<p>By Bo Mason, March 14, 2024</p>';
  expect(read(`<main>${head}<h1>Slate</h1>${byline}${split}</main>`).publishedAt).toBe(day);
});

test.each([
  [
    'VitePress',
    `</main><footer><div class=last-updated><p>Last updated: <time datetime=${day}T10:00Z>3/14/24, 10:00 AM</time></p></div></footer>`,
  ],
  [
    'Furo',
    '</article></main><footer><div class=bottom>Made with Sphinx</div><div class="last-updated">Last updated on Mar 14, 2024</div></footer>',
  ],
  [
    'Read the Docs',
    '</main><footer><p>© Copyright 2024, Quarry. <span class=lastupdated>Last updated on Mar 14, 2024.</span></p></footer>',
  ],
  ['pydata', '</main><footer><p class="last-updated">Last updated on Mar 14, 2024.<br/></p></footer>'],
  [
    'MediaWiki',
    '</main><footer><ul><li id=footer-info-lastmod> This page was last edited on 14 March 2024, at 10:00 (UTC).</li></ul></footer>',
  ],
])('the day of a change is told outside of the text, as %s does', (_, markup) => {
  const { modifiedAt } = read(`<main><article><h1>Slate</h1>${split.repeat(30)}${markup}`, 'docs/slate');
  expect(modifiedAt?.slice(0, 10)).toBe(day);
});

test.each([
  ['a window', '</main><div class=cookie-modal><p>Last updated on May 3, 2020</p></div><main>'],
  ['a box of data', '<div class=dataset><h3>Layers</h3><p>Last updated on May 3, 2020</p></div>'],
  ['what stands beside it', '<aside class=sidebar><p>Last updated on May 3, 2020</p></aside>'],
  ['a card', '<div class=card><h3>Layers</h3><p>It splits.</p><p>Last updated on May 3, 2020</p></div>'],
  ['a part', '<h2>Live scores</h2><p>Last updated on May 3, 2020</p>'],
])('the day on which %s was changed is not that of the page', (_, markup) => {
  const html = `<main><h1>Slate</h1>${split.repeat(30)}${markup}${split}</main>`;
  expect(read(html, 'docs/slate').modifiedAt).toBeNull();
});

test('in a quote that is most of the page stands its own line', () => {
  const quote = `<blockquote><p>By Bo Mason</p><p>Updated March 14, 2024</p>${split.repeat(6)}</blockquote>`;
  const { byline, modifiedAt } = read(`<article><h1>Slate</h1>${quote}</article>`);
  expect({ byline, modifiedAt }).toEqual({ byline: 'Bo Mason', modifiedAt: day });
});

test.each([
  [
    'whoever is quoted',
    '<blockquote><p>It splits.</p><cite class=author>Ann Other</cite></blockquote>',
    null,
  ],
  ['a sentence', '<p>By Monday all workers had left the site.</p>', null],
  ['a sentence that goes on', '<p>By Christmas, all workers had left the site.</p>', null],
  ['a line of two', '<p>By Bo Quarry and Ann van der Berg</p>', 'Bo Quarry, Ann van der Berg'],
  ['a line of two with a full stop', '<p>By Bo Mason and Eva Stein.</p>', 'Bo Mason, Eva Stein'],
  ['a line with a day', '<p>Written by Bo Mason on March 14, 2024.</p>', 'Bo Mason'],
  ['a line with a picture credit', '<p>Words by Bo Mason, photos by Eva Stein.</p>', 'Bo Mason'],
  [
    'a line with small words',
    '<p>By Jan op het Veld and Ahmed al-Sayed al-Najjar</p>',
    'Jan op het Veld, Ahmed al-Sayed al-Najjar',
  ],
  ['a marked author', '<p><a rel=author href=/ann>ngô thị kim cúc</a></p>', 'ngô thị kim cúc'],
])('a page is not by %s', (_, markup, byline) => {
  expect(read(`<article><h1>Slate</h1>${markup}${split}</article>`).byline).toBe(byline);
});

test('an article of a magazine’s community is by its writer, whoever comments', () => {
  const json = '<script type=application/ld+json>{"@type":"Article","headline":"Slate"}</script>';
  const comment = `<section class=comments><h2>Comments</h2><a href=/users/ann class=username>ann</a><p>So it does.</p></section>`;
  const markup = `${json}<article><h1>Slate</h1><p>By Bo Quarry</p>${split.repeat(6)}</article>${comment}`;
  const { byline, text } = read(markup, 'community/slate');
  expect(byline).toBe('Bo Quarry');
  expect(text).not.toContain('So it does');
});
