import { expect, test } from 'vitest';
import { parseRefresh, readRefresh, soonestRefresh } from '../../src/workers/page/load/refresh.ts';
import { showNoscript } from '../../src/workers/page/html/noscript.ts';
import extractPage from '../../src/workers/extract/extract-page.ts';
import { readMetadata } from '../../src/workers/page/html/metadata.ts';
import skimPage from '../../src/workers/page/html/skim-page.ts';
import { readLinks } from '../../src/workers/page/html/page-links.ts';
import { encodeQuery } from '../../src/workers/page/html/query-encoding.ts';
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
const skimmedRefresh = (html: string) =>
  skimPage({ html, url: 'http://a.test/dir/page', headers: {}, charset: null }).refresh?.url;
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
  expect(skimmedRefresh(html)).toBe('http://a.test/b');
});

test('a refresh is relative to the base that stands before it, that of the header to the page', () => {
  const base = '<base href="/base/">';
  for (const [html, expected] of [
    [`${meta('0;a')}${base}<p>Here`, 'http://a.test/dir/a'],
    [`${base}${meta('0;a')}<p>Here`, 'http://a.test/base/a'],
    [`${base}<base href="/other/">${meta('0;a')}<p>Here`, 'http://a.test/base/a'],
  ] as const) {
    expect(refreshOf(html)).toBe(expected);
    expect(skimmedRefresh(html)).toBe(expected);
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

test('a refresh by another name leads nowhere', () => {
  expect(refreshOf('<meta http-equiv=" refresh " content="0; url=/no">')).toBeNull();
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

/** After the cases of the URL standard ("percent-encode after encoding") and of its tests. */
test.each([
  ['windows-1251', '/?q=пр', '/?q=%EF%F0'],
  ['windows-1252', '/ü?q=ü&r=a#ü?ü', '/ü?q=%FC&r=a#ü?ü'],
  ['windows-1252', '/?q=пa', '/?q=%26%231087%3Ba'],
  ['windows-1252', '/?q=€\u2020á|', '/?q=%80%86%E1|'],
  ['windows-1252', '/?q=😀', '/?q=%26%23128512%3B'],
  ['windows-1252', '/?q=\ud800', '/?q=%26%2365533%3B'],
  ['shift_jis', '/?q=石', '/?q=%90%CE'],
  ['shift_jis', '/?q=\u2212表', '/?q=%81|%95\\'],
  ['euc-jp', '/?q=\u2212', '/?q=%A1%DD'],
  ['iso-2022-jp', '/?q=\u2212a', '/?q=%1B$B!]%1B(Ba'],
  ['gbk', '/?q=板岩', '/?q=%B0%E5%D1%D2'],
  ['gb18030', '/?q=\ue5e5', '/?q=%26%2358853%3B'],
  ['big5', '/?q=á', '/?q=%26%23225%3B'],
  ['euc-kr', '/?q=\u2020', '/?q=%A2%D3'],
  ['koi8-r', 'http://a.test/?q=п', 'http://a.test/?q=%D0'],
  ['windows-1251', 'mailto:a@a.test?subject=п', 'mailto:a@a.test?subject=п'],
  ['windows-1251', '/?q=%EF&r=a b', '/?q=%EF&r=a b'],
  ['utf-8', '/?q=ü', '/?q=ü'],
  ['utf-16le', '/?q=ü', '/?q=ü'],
  ['utf-16', '/?q=ü', '/?q=ü'],
  ['latin1', '/?q=ü', '/?q=ü'],
  ['no encoding', '/?q=ü', '/?q=ü'],
  ['replacement', '/?q=ü', '/?q=ü'],
  [null, '/?q=ü', '/?q=ü'],
])('a query in a document of %s: %s', (charset, address, expected) => {
  expect(encodeQuery(address, charset)).toBe(expected);
});

test('every address of a page has its query in the encoding of the page', () => {
  const url = 'http://a.test/';
  const expected = 'http://a.test/%C3%BC?q=%FC';
  const charset = 'windows-1252';
  const headers = { 'content-type': `text/html; charset=${charset}` };
  const page = (html: string) => ({ html, url, charset });
  const link = '<a href="/ü?q=ü">Slate</a>';
  const canonical = '<link rel="canonical" href="/ü?q=ü">';
  expect(readLinks(link, url, charset)[0]?.url).toBe(expected);
  expect(skimPage({ html: canonical + link, url, headers: {}, charset })).toMatchObject({
    canonical: expected,
    links: [{ url: expected }],
  });
  expect(readMetadata(canonical, { url, headers: {}, charset }).metadata.canonical).toBe(expected);
  const body = Buffer.from(`${meta('0;/ü?q=ü#ü')}${canonical}<p>Here`, 'latin1');
  expect(readAnswerLinks({ body, headers, url })).toEqual({
    refresh: `${expected}#%C3%BC`,
    canonical: expected,
  });
  const story = 'Slate is split and never sawn, by those who wait for the stone to open. '.repeat(9);
  const { html } = extractPage(
    page(
      `<article><h1>Slate</h1><p>${story}${link}<p><img srcset="/a?q=ü 1x, /ü?q=ü 2x"><p>${story}</article>`,
    ),
  );
  expect(html).toContain(`href="${expected}"`);
  expect(html).toContain(`src="${expected}"`);
});
