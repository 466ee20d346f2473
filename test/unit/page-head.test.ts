import { expect, test } from 'vitest';
import analyzePage from '../../src/workers/page/analyze-page.ts';
import { type HeadSource, readHead } from '../../src/workers/page/html/head.ts';
import { readMetadata } from '../../src/workers/page/html/metadata.ts';
import findPageRefresh from '../../src/workers/page/html/page-refresh.ts';
import skimPage from '../../src/workers/page/html/skim-page.ts';
import readAnswerLinks from '../../src/workers/url/read-page-links.ts';
import { growthOf } from '../support/growth.ts';

const url = 'http://a.test/dir/page';
const sourceOf = (headers: Record<string, string> = {}, charset: string | null = null): HeadSource => ({
  url,
  headers,
  charset,
});

/** What each of those who read a head says of it: all the same. */
function headOf(html: string, source = sourceOf()) {
  const head = readHead(html, source);
  const { links: _links, ...skimmed } = skimPage({ html, ...source });
  expect(readMetadata(html, source).head).toEqual(head);
  expect(skimmed).toEqual(head);
  expect(findPageRefresh({ html, ...source }).target).toEqual(head.refresh);
  return head;
}

const canonical = (href: string) => `<link rel="x Canonical" href="${href}">`;

test.each([
  ['<title> A\n b </title><title>No</title>', 'A b'],
  ['<math><title>Sum</title></math><title>Page</title>', 'Page'],
  ['<svg><title>Icon</title></svg><title>Page</title>', 'Page'],
  ['<svg><foreignObject><title>Part</title></foreignObject></svg><title>Page</title>', 'Page'],
  ['<template><title>Row</title></template><title>Page</title>', 'Page'],
  [`<title>${'t'.repeat(2_000)}</title>`, 't'.repeat(1_000)],
  ['<p>None', null],
])('the title of %s', (html, title) => expect(headOf(html).title).toBe(title));

test.each([
  ['javascript:x', null],
  ['mailto:a@a.test', null],
  [' ', null],
  ['', null],
  ['http://u:p@a.test/', null],
  ['http://[', null],
  [`/${'a'.repeat(70_000)}`, null],
  ['/a#b', 'http://a.test/a'],
  [' b?x=1 ', 'http://a.test/dir/b?x=1'],
])('the canonical %j', (href, expected) => {
  expect(headOf(canonical(href)).canonical).toBe(expected);
  expect(headOf(canonical(href) + canonical('/next')).canonical).toBe(expected ?? 'http://a.test/next');
});

test('a canonical in the Link header comes before that of the markup, if it is an address', () => {
  const linkOf = (link: string) => headOf(canonical('/markup'), sourceOf({ link })).canonical;
  expect(linkOf('</style.css>; rel=preload, </header#a>; rel="canonical"')).toBe('http://a.test/header');
  expect(linkOf('<javascript:x>; rel=canonical, </header>; rel=canonical')).toBe('http://a.test/header');
  expect(linkOf('<javascript:x>; rel=canonical')).toBe('http://a.test/markup');
});

test.each([
  ['</part>; rel=canonical; anchor="#part", </page>; rel=canonical', '/page'],
  ['</part>; Anchor=/x; rel=canonical', null],
  ['</next>; title="a; rel=canonical"; rel=next', null],
  ['</next>; title="a\\"; rel=canonical"; rel=next', null],
  ['</next>; title="<a>; rel=canonical"', null],
  ['</next>; rel=next; rel=canonical', null],
  ['</next>; title="a, <b>" ; REL = "next Canonical"', '/next'],
  [`</a>; rel=next, </${'b'.repeat(9_000)}>; rel=canonical`, null],
  ['</a>; rel="canonical', '/a'],
])('the canonical of the header Link: %s', (link, path) =>
  expect(headOf('', sourceOf({ link })).canonical).toBe(path && `http://a.test${path}`),
);

test('of a header Link the first 16 KiB are read, and no link that is not all in them', () => {
  const afterLinks = (length: number, link: string) =>
    headOf('', sourceOf({ link: `${'</a>,'.repeat(length / 5)}${link}` })).canonical;
  expect(afterLinks(16_000, '</page>; rel=canonical')).toBe('http://a.test/page');
  expect(afterLinks(16_000, '</page>; rel=canonical, </b>')).toBe('http://a.test/page');
  expect(afterLinks(17_000, '</page>; rel=canonical')).toBeNull();
  const rest = `</page>; rel=canonical; title="${'x'.repeat(1_000)}"`;
  expect(afterLinks(16_000, `${rest}; anchor="#part"`)).toBeNull();
  expect(afterLinks(16_000, `${rest}, </b>`)).toBeNull();
});

test.each(['<', '</a>', '; ', '"', '\\"', ';a="', '; rel', ' ', '</a>;', '</a>; rel=canonical; anchor=""'])(
  'a header Link of many %s costs in proportion',
  (piece) => {
    const make = (size: number) => sourceOf({ link: `</a>${piece.repeat(size)}` });
    expect(growthOf(make, (source) => readHead('', source), 1_000)).toBeLessThan(1.6);
  },
);

test('what stands in a template or a drawing says nothing of the page', () => {
  const said = `<base href="/no/">${canonical('/no')}<meta name=robots content=noindex><meta http-equiv=refresh content="0;/no">`;
  const shadow = `<div><template shadowrootmode=open><title>No</title>${said}</template></div>`;
  const page = `<template>${said}</template>${shadow}<svg><base href="/no/">${canonical('/no')}</svg>`;
  expect(headOf(page)).toEqual({
    title: null,
    base: url,
    canonical: null,
    robots: null,
    follows: true,
    noindex: false,
    refresh: null,
  });
  expect(
    readMetadata(`<template><meta name=description content=No></template>`, sourceOf()).metadata,
  ).toEqual(expect.objectContaining({ description: null }));
});

test.each([
  ['robots', 'noindex', {}, 'noindex', true, true],
  ['quarry', 'noindex, nofollow', {}, null, false, true],
  ['Quarry', 'none', {}, null, false, true],
  ['other', 'none', {}, null, true, false],
  ['robots', 'all', { 'x-robots-tag': 'nofollow' }, 'all', false, false],
  ['robots', 'all', { 'x-robots-tag': 'noindex' }, 'all', true, true],
])('<meta name=%s content=%s> and the headers %j', (name, content, headers, robots, follows, noindex) => {
  const html = `<meta name=" ${name} " content="${content}">`;
  expect(headOf(html, sourceOf(headers))).toMatchObject({ robots, follows, noindex });
});

test.each([
  '<meta property=robots content=noindex>',
  '<meta name=other property=Quarry content=noindex>',
  '<meta name=robots property="og:robots" content=noindex>',
])('directives count by property too: %s', (html) => expect(headOf(html).noindex).toBe(true));

test('a page that asks this crawler to be in no index is not seen', () => {
  const seenOf = (html: string) => {
    const page = { html, requestedUrl: url, status: 200, engine: 'http' as const, ...sourceOf() };
    return analyzePage({ page, wishes: { seen: true } }).seen;
  };
  expect(seenOf(canonical('/a#b'))).toMatchObject({ page: { url: 'http://a.test/a' } });
  expect(seenOf(`${canonical('/a')}<meta name=quarry content=noindex>`)).toBeNull();
});

test('a refresh keeps its fragment, and one to the page itself is told as such', () => {
  const refresh = (to: string) => headOf(`<meta http-equiv="Refresh" content="1; url=${to}">`).refresh;
  expect(refresh('/end#part')).toEqual({ seconds: 1, url: 'http://a.test/end#part', isSelf: false });
  expect(refresh('page')).toEqual({ seconds: 1, url, isSelf: true });
});

test('the base is written in the encoding of the page, and is one of the web or none', () => {
  const baseOf = (href: string, charset: string | null = null) =>
    headOf(`<base href="${href}">`, sourceOf({}, charset)).base;
  expect(baseOf('/ü/?q=ü', 'windows-1252')).toBe('http://a.test/%C3%BC/?q=%FC');
  expect(baseOf('data:text/html,x')).toBe(url);
  const body = Buffer.from('<base href="/x?q=ü"><link rel=canonical href="">', 'latin1');
  expect(readAnswerLinks({ body, headers: { 'content-type': 'text/html; charset=latin1' }, url })).toEqual({
    refresh: null,
    canonical: null,
  });
});

test('an icon may be in the address itself', () => {
  const html = '<base href="/base/"><link rel=icon href="data:image/png;base64,AA"><link rel=icon href=no>';
  expect(readMetadata(html, sourceOf()).metadata.favicon).toBe('data:image/png;base64,AA');
  expect(readMetadata('<base href="/b/"><link rel=icon href=i>', sourceOf()).metadata.favicon).toBe(
    'http://a.test/b/i',
  );
});

test('scripts that may lead elsewhere are told beside a refresh', () => {
  const scriptsOf = (html: string) => findPageRefresh({ html, ...sourceOf() }).hasScripts;
  expect(scriptsOf('<script>go()</script>')).toBe(true);
  expect(scriptsOf('<body onload="go()">')).toBe(true);
  expect(scriptsOf('<div><template shadowrootmode=open><script>go()</script></template></div>')).toBe(true);
  expect(scriptsOf('<template><svg><script>go()</script></svg></template>')).toBe(false);
  expect(scriptsOf('<script type="application/ld+json">{}</script><template><script>go()</script>')).toBe(
    false,
  );
});

test.each([
  ['refreshes to long addresses', '<meta http-equiv=refresh content="0; url=a">'],
  ['titles', '<title>'],
  ['drawings and templates', '<svg><template><title>'],
  ['robots', '<meta name=robots content="none none none">'],
])('%s cost in proportion', (_what, piece) => {
  const make = (size: number) => `<base href="/${'x'.repeat(size)}/">${piece.repeat(size)}`;
  expect(growthOf(make, (html) => skimPage({ html, ...sourceOf() }), 1_000)).toBeLessThan(1.6);
});
