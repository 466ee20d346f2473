import { expect, test } from 'vitest';
import extractPage from '../../src/workers/extract/extract-page.ts';

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
