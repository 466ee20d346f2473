import { expect, test } from 'vitest';
import { readCrawledPage } from '../../src/workers/crawl/crawled-page.ts';
import { parseRefresh, readRefresh, soonestRefresh } from '../../src/workers/page/load/refresh.ts';
import { showNoscript } from '../../src/workers/page/html/noscript.ts';
import readAnswerLinks from '../../src/workers/url/read-page-links.ts';

test.each([
  ['0; url=/end', 0, '/end'],
  ['3;URL=/end#part', 3, '/end#part'],
  ["0;url='/end", 0, '/end'],
  ['0; url="/end" more', 0, '/end'],
  ['1.5, /end', 1, '/end'],
  ['2 /end', 2, '/end'],
  ['0;url', 0, 'url'],
  ['.5; url = /end', 0, '/end'],
  ['5', 5, null],
  ['5;', 5, null],
])('a refresh of %s', (content, seconds, target) => {
  expect(parseRefresh(content)).toEqual({ seconds, target });
});

test.each(['', 'url=/end', '-1; url=/end', '5url=/end', '; url=/end'])('no refresh: %s', (content) => {
  expect(parseRefresh(content)).toBeNull();
});

test('the soonest of several leads on', () => {
  const contents = ['5; url=/late', '0; url=/soon', '900; url=/never', '0; url=/second'];
  expect(soonestRefresh(contents.map((content) => readRefresh(content, (target) => target)))?.url).toBe(
    '/soon',
  );
});

const refreshOf = (html: string, headers: Record<string, string> = {}) =>
  readAnswerLinks({
    body: Buffer.from(html),
    headers: { 'content-type': 'text/html', ...headers },
    url: 'http://a.test/dir/page',
  }).refresh;
const meta = (content: string) => `<meta http-equiv="refresh" content="${content}">`;

test.each([
  '0;url=javascript:go()',
  '1; url=http://[',
  '0; url=mailto:a@a.test',
  '0;url=data:text/html,x',
  '0',
])('a refresh that leads nowhere leaves the others their turn: %s', (content) => {
  const html = `<title>a</title>${meta(content)}${meta('3;/b')}<p>Here`;
  expect(refreshOf(html)).toBe('http://a.test/b');
  expect(readCrawledPage(html, 'http://a.test/dir/page').refresh).toBe('http://a.test/b');
});

test('a refresh is relative to the base that stands before it, that of the header to the page', () => {
  const base = '<base href="/base/">';
  for (const [html, expected] of [
    [`${meta('0;a')}${base}<p>Here`, 'http://a.test/dir/a'],
    [`${base}${meta('0;a')}<p>Here`, 'http://a.test/base/a'],
    [`${base}<base href="/other/">${meta('0;a')}<p>Here`, 'http://a.test/base/a'],
  ] as const) {
    expect(refreshOf(html)).toBe(expected);
    expect(readCrawledPage(html, 'http://a.test/dir/page').refresh).toBe(expected);
  }
  expect(refreshOf(`${base}<p>Here`, { refresh: '0;a' })).toBe('http://a.test/dir/a');
});

test('a refresh to an address that no server takes leads nowhere', () => {
  const read = (head: string) =>
    readAnswerLinks({
      body: Buffer.from(`${head}<p>Here`),
      headers: { 'content-type': 'text/html' },
      url: 'http://a.test/',
    }).refresh;
  const to = (address: string) => `<meta http-equiv="refresh" content="0; url=${address}">`;
  expect(read(to(`/${'x'.repeat(60_000)}`))).toHaveLength(60_014);
  expect(read(to(`/${'x'.repeat(70_000)}`))).toBeNull();
  expect(read(`<base href="/${'x'.repeat(70_000)}/">${to('end')}`)).toBeNull();
});

test('a refresh in a comment, a template or a noscript leads nowhere', () => {
  const refresh = '<meta http-equiv="refresh" content="0; url=/no">';
  const html = `<!-- ${refresh} --><template>${refresh}</template><noscript>${refresh}</noscript><p>Here`;
  const answer = { body: Buffer.from(html), headers: { 'content-type': 'text/html' }, url: 'http://a.test/' };
  expect(readAnswerLinks(answer).refresh).toBeNull();
});

test('what stands in noscript is shown where it is the page', () => {
  const story = '<p>The upper quarry employed four hundred people.</p>'.repeat(10);
  expect(showNoscript(`<div id="app"></div><noscript>${story}</noscript>`)).toContain(`${story} `);
  const beside = `${story}<noscript><img src="/pixel.gif"> Enable JavaScript</noscript>`;
  expect(showNoscript(beside)).toBe(beside);
});
