import { expect, test } from 'vitest';
import { parseRefresh, soonestRefresh } from '../../src/workers/page/load/refresh.ts';
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
  expect(soonestRefresh(['5; url=/late', '0; url=/soon', '900; url=/never'])?.target).toBe('/soon');
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
