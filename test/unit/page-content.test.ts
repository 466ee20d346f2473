import { expect, test } from 'vitest';
import extractPage from '../../src/workers/extract/extract-page.ts';
import { pickBlocks } from '../../src/workers/extract/pick-blocks.ts';

const url = 'http://site.example/';
const repeat = (count: number, part: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => part(i)).join('');
const menu = `<nav><ul>${repeat(60, (i) => `<li><a href="/c${i}">Category number ${i}</a>`)}</ul></nav>`;
const textOf = (body: string): string =>
  extractPage({ html: `<!doctype html><title>Slate</title><body>${body}`, url }).text;

test('a table that lays out posts is no table of data', () => {
  const post = (i: number): string =>
    `<tr><td><b>Splitter ${i}</b> <a href="/report/${i}">Report</a><tr><td><div>${repeat(4, (n) => `<p>Post ${i}.${n}: the block has to be wet when it is split, or the sheets break at the edges, as the old hands say.</p>`)}</div>
     <ul>${repeat(12, (n) => `<li><a href="/u/${i}/${n}">Member ${n}</a>`)}</ul>`;
  const text = textOf(`${menu}<h1>How to split slate</h1><table>${repeat(5, post)}</table>`);
  for (const part of ['Post 0.0: the block', 'Post 4.3: the block']) expect(text).toContain(part);
});

test('where little of what stands outside of menus is likely, all of it is taken', () => {
  const entries = Array.from({ length: 50 }, () => ({ words: 6, likely: 0.1, readable: -1, beside: false }));
  const links = Array.from({ length: 50 }, () => ({ words: 3, likely: 0.1, readable: -1, beside: true }));
  const heading = { words: 25, likely: 0.6, readable: -1, beside: false };
  const { picked } = pickBlocks([...links, heading, ...entries], false);
  expect([...picked]).toEqual([...links.map(() => 0), 1, ...entries.map(() => 1)]);
});

test('a page that shows menus only, or asks for scripts only, has no content', () => {
  const foot = '<footer><p>By subscribing you agree to receive letters from us.</p></footer>';
  expect(textOf(`${menu}<div id="root"></div>${foot}`)).toBe('');
  expect(
    textOf('<noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div>'),
  ).toBe('');
});

test('little text beside large menus is the content', () => {
  expect(textOf(`<header><a href="/">Shop</a></header>${menu}<p>Closed today.</p>`)).toBe('Closed today.');
});

test('code keeps its empty lines, a task list its boxes', () => {
  const { html } = extractPage({
    html: `<h1>Slate</h1><pre><code>first\n\n\n  second\n</code></pre>\n\n\n<ul><li><input type=checkbox disabled checked> split<li><p><input type=checkbox disabled> stacked</ul><input type=checkbox disabled>`,
    url,
    onlyMainContent: false,
  });
  expect(html).toContain('<pre><code>first\n\n\n  second\n</code></pre>\n<ul>');
  expect(html).toContain('<li><input type="checkbox" disabled checked> split');
  expect(html).toContain('<li><p><input type="checkbox" disabled> stacked');
  expect(html.match(/<input/g)).toHaveLength(2);
});
