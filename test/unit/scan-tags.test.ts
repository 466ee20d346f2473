import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readLinks } from '../../src/workers/page/html/page-links.ts';
import { readHead } from '../../src/workers/page/html/head.ts';
import skimPage from '../../src/workers/page/html/skim-page.ts';
import { scanTags } from '../../src/workers/page/html/scan-tags.ts';

const source = { url: 'http://example.com/dir/page', headers: {}, charset: null };
const quickLinks = (html: string) => skimPage({ html, ...source }).links;
const exactLinks = (html: string) => readLinks(html, readHead(html, source).base);

test.each([
  `<a href="/a">A</a><a href='b?x=1&amp;y=2' rel=nofollow>B &amp; C</a><A HREF=c>C</A>`,
  `<!-- <a href="/no">no</a> --><!--><a href="/yes">yes</a><!doctype html><?php <a href="/no2">?><a href="/yes2">y`,
  `<!-- x --!><a href="/yes">y</a><!----!><a href="/yes2">y</a><!-- <a href="/no"> --! > <a href="/no2">--><a href=z>z</a>`,
  `<!---!><a href="/no">no</a>--><a href="/yes">y</a><!----><a href="/yes2">y</a><!-- --!--><a href=z>z</a>`,
  `<a href="/yes">y <plaintext><a href="/no">&amp;</a></plaintext><a href="/no2">no</a>`,
  `<script>document.write('<a href="/no">')</script><style><a href="/no"></style><a href=/yes>y</a>`,
  `<textarea><a href="/no"></textarea><title><a href="/no"></title><noscript><a href="/no"></noscript><a href=/y>y</a>`,
  `<div title="<a href='/no'>"><a href="/yes" title=">">y</a></div>`,
  `<a href="/one">One<a href="/two">Two</a><img alt="no"><a href="/three"><img alt="Three" src=x></a>`,
  `<base href="/other/"><a href="x">X</a> 1 < 2 <a href="y">a < b</a><a href="z"`,
  `<a href=" /sp ace ">s</a><a href="//other.example.com/x">o</a><a href="../up/./x">u</a><a href="/.well-known">w</a>`,
  `<a href=b>q</a><base href="/z/"><a href=c>q</a><template><base href="/no/"></template><base href="/no2/">`,
  `<svg><a xlink:href="/old"><text>Old</text></a><a href="/new" xlink:href="/no"><text>New</text></a></svg>`,
  `<script><!--<script></script><a href="/no"></script><a href="/yes">y</a>`,
  `<script><!--<script></script><a href="/no">--></script><a href="/yes">y</a>`,
  `<script><!--<script>--></script><a href="/yes">y</a>`,
  `<script><!--</script><a href="/yes">y</a><script><!--><script></script><a href="/yes2">y</a>`,
  `<script><!---><script></script><a href="/yes">y</a><script><!--<scripts></script><a href="/yes2">y</a>`,
  `<script><!--<SCRIPT/></Script ><script></script><a href="/no"></script><a href="/yes">y</a>`,
  `<script><script></script><a href="/yes">y</a><style><!--<script></style><a href="/yes2">y</a>`,
  `<a/href="/slash"/>x</a><a href="/a" href="/b">first</a><a name=x>none</a><a href="javascript:x">none</a>`,
])('links are those of the whole tokenizer: %s', (html) =>
  expect(quickLinks(html)).toEqual(exactLinks(html)),
);

test.each([
  ['<script>let a = "no"</script>', 'One'],
  ['<style>.no { color: red }</style>', 'One'],
  ['<noscript><img alt="no" src="no"></noscript>', 'One'],
  ['<template>no <img alt="no"></template>', 'One'],
  ['<textarea>no</textarea>', 'One'],
  ['<iframe>no</iframe>', 'One'],
  ['<b>and</b> <svg><title>two</title></svg>', 'Oneand two'],
  ['<img alt="and">', 'One and'],
])('the text of a link holds nothing of %s but what is seen', (held, anchor) => {
  for (const links of [quickLinks, exactLinks])
    expect(links(`<a href="/one">One${held}</a>`).map((link) => link.anchor)).toEqual([anchor]);
});

test('a link within a template has its own text', () => {
  const html = '<template><a href="/one">One<script>no</script></a></template>';
  expect(quickLinks(html).map(({ anchor }) => anchor)).toEqual(['One']);
});

test('a link of a drawing is one', () => {
  const html =
    '<svg><a xlink:href="old"><text>Old</text></a><a href="new" xlink:href="no"><text>New</text></a></svg>';
  expect(quickLinks(html).map(({ url: to, anchor }) => [to, anchor])).toEqual([
    ['http://example.com/dir/old', 'Old'],
    ['http://example.com/dir/new', 'New'],
  ]);
});

test('links of a noscript that holds the page are read beside others', () => {
  const html = `<a href=own>o</a><noscript><p>${'told '.repeat(100)}</p><a href=shown>s</a></noscript>`;
  expect(quickLinks(html).map(({ url: to }) => to)).toEqual([
    'http://example.com/dir/own',
    'http://example.com/dir/shown',
  ]);
});

test('a base is that of the links before it, too', () => {
  expect(quickLinks('<a href=b>q</a><base href="/z/"><a href=c>q</a>').map(({ url: to }) => to)).toEqual([
    'http://example.com/z/b',
    'http://example.com/z/c',
  ]);
});

test('any mixture of tags gives the same links', () => {
  const piece = fc.constantFrom(
    '<a href="/a">',
    '<a href=b>',
    "<a href='c&amp;d'>",
    '</a>',
    'text',
    ' & ',
    '&amp;',
    '<b>',
    '</b>',
    '<!--',
    '-->',
    '--!>',
    '<script>',
    '</script>',
    '<img alt="x">',
    '<p title="a > b">',
    '</',
    '<',
    '<1',
    '\n',
    '<br/>',
    '<title>',
    '</title>',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const html = pieces.join('');
      expect(quickLinks(html).map((link) => link.url)).toEqual(exactLinks(html).map((link) => link.url));
    }),
    { numRuns: 500 },
  );
});

test('hostile documents take linear time', () => {
  const start = performance.now();
  for (const part of [
    '<a href="',
    "<a href='",
    '<!--',
    '<!----!',
    '<script>',
    '<script><!--',
    '<script><!--<script></script>',
    '<a ',
    '<b x="',
    '</a',
    '<a href=x ',
    '= ',
    '<a a = ',
  ]) {
    scanTags(part.repeat(1_000_000 / part.length), {
      tags: new Set(['a']),
      textIn: new Set(['a']),
      onStartTag: () => undefined,
      onText: () => undefined,
      onEndTag: () => undefined,
    });
  }
  expect(performance.now() - start).toBeLessThan(10_000);
});
