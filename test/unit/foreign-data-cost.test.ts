import { read, utils, write } from '@e965/xlsx';
import { describe, expect, test, vi } from 'vitest';
import { readPrefer } from '../../src/api/http/prefer.ts';
import { AnswerHeads } from '../../src/shared/egress/answer-heads.ts';
import { createUrlFilter } from '../../src/workers/crawl/glob.ts';
import { toPageAddress } from '../../src/workers/addresses/page-address.ts';
import { readBlocks } from '../../src/workers/extract/blocks.ts';
import { leaveOutCodeLabels } from '../../src/workers/extract/code-labels.ts';
import { leanMarkup } from '../../src/workers/extract/lean-markup.ts';
import { parsePage } from '../../src/workers/extract/parse-page.ts';
import { replaceCodeTables } from '../../src/workers/extract/code-tables.ts';
import extractPage from '../../src/workers/extract/extract-page.ts';
import { parseTree } from '../../src/workers/extract/parse-tree.ts';
import { parseSitemap } from '../../src/workers/crawl/parse-sitemap.ts';
import { parseRobots } from '../../src/workers/crawl/robots-rules.ts';
import { joinLines } from '../../src/workers/documents/pdf-text.ts';
import { readPlainText } from '../../src/workers/documents/read-plain-text.ts';
import { readWorkbook } from '../../src/workers/documents/read-workbook.ts';
import { markNumbers } from '../../src/workers/documents/word-numbers.ts';
import makeMarkdown from '../../src/workers/markdown/make-markdown.ts';
import analyzePage from '../../src/workers/page/analyze-page.ts';
import { judgePage } from '../../src/workers/page/engine/needs-browser.ts';
import { readScriptEffects } from '../../src/workers/page/engine/script-effects.ts';
import { charsetLabelOf, decodeText, findCharset } from '../../src/workers/page/html/charset.ts';
import { showNoscript } from '../../src/workers/page/html/noscript.ts';
import { readVisibleText } from '../../src/workers/page/html/visible-text.ts';
import { parseRefresh } from '../../src/workers/page/load/refresh.ts';
import { measureReadability } from '../../src/workers/review/readability.ts';
import { escapeMarkdown } from '../../src/workers/summarize/write-article.ts';
import readAnswerLinks from '../../src/workers/url/read-page-links.ts';
import { growthOf } from '../support/growth.ts';

vi.mock('@e965/xlsx', { spy: true });

const url = 'http://example.com/';
const analyze = (html: string) =>
  analyzePage({
    page: { html, url, requestedUrl: url, status: 200, headers: {}, engine: 'http', charset: null },
    wishes: { text: true, links: true, judgement: true },
  });
const toMarkdown = (html: string) =>
  makeMarkdown({ html, base: null, links: 'inline', images: true, frontMatter: {}, maxTokens: null });
const repeat =
  (piece: string, rest = '') =>
  (size: number) =>
    piece.repeat(size) + rest;
const sitemapOf = (piece: string) => (size: number) => `<urlset>${piece.repeat(size)}`;

/** What sites have sent to make a reader take minutes: a square of the input where it should be in proportion. */
const cases: [string, (size: number) => string, (input: string) => unknown][] = [
  ['locations of a sitemap that never end', sitemapOf('<loc>'), (xml) => parseSitemap(xml, url)],
  ['comments of a sitemap that never end', sitemapOf('<!-- '), (xml) => parseSitemap(xml, url)],
  ['CDATA of a sitemap that never ends', sitemapOf('<loc> <![CDATA['), (xml) => parseSitemap(xml, url)],
  ['an index of many sitemaps', repeat('<sitemapindex><loc>/a</loc>'), (xml) => parseSitemap(xml, url, 100)],
  ['inputs without an end', repeat('<input '), analyze],
  ['tags without an end', repeat('<a '), analyze],
  ['cells without text', repeat('<td>', 'x'), readVisibleText],
  ['spaces of preformatted text', (size) => `<pre>${' '.repeat(size)}x`, readVisibleText],
  ['hidden cells of tables in cells', repeat('<p><table><tr><td hidden>x'), readVisibleText],
  ['lines in nested spans', (size) => `<p>${'<span>'.repeat(size)}${'<hr>'.repeat(size)}`, readVisibleText],
  [
    'end tags that end nothing',
    (size) => `<p><table>${'<b>'.repeat(size)}${'</p>'.repeat(size)}`,
    readVisibleText,
  ],
  [
    'a tag that names what it opens again and again',
    repeat(' aria-controls="a', '>'),
    (rest) => readVisibleText(`<p>x<a${rest}`),
  ],
  ['a long style', (size) => `<p style="${' display: '.repeat(size)}">x`, readVisibleText],
  [
    'cells over rows, past the most columns',
    (size) => `<table><tr><th>A${'<td rowspan=2>x'.repeat(size)}${'<tr><td>y<td>z'.repeat(size)}</table>`,
    toMarkdown,
  ],
  ['attributes', (size) => `<p ${Array.from({ length: size }, (_, n) => `a${n}`).join(' ')}>`, analyze],
  ['places of content', repeat('<main><div id=app>'), analyze],
  [
    'a selector of a script',
    (size) =>
      `<p>${'It says something. '.repeat(50)}</p><script>document.querySelector("${'>[a='.repeat(size)}").innerHTML = "x"</script>`,
    (html) => judgePage({ html }),
  ],
  ['a chain of calls', repeat('.a()'), (chain) => readScriptEffects([`location;$${chain}`])],
  ['functions of one name', repeat('location;a();function a(){}'), (code) => readScriptEffects([code])],
  ['writes of a page', repeat('document.write(a);'), (code) => readScriptEffects([code])],
  [
    'properties of an object',
    (size) => `var o={${'a:1,'.repeat(size)}};${'o.b.append(x);'.repeat(size)}`,
    (code) => readScriptEffects([code]),
  ],
  [
    'a long text that is written often',
    (size) => `var a="${' '.repeat(size * 9)}b";${'document.write(a);'.repeat(size)}`,
    (code) => readScriptEffects([code]),
  ],
  [
    'links in what is written',
    (size) => `document.write("${'<a href=#><script>'.repeat(size)}")`,
    (code) => readScriptEffects([code]),
  ],
  [
    'names that stand for an address',
    (size) => `var aa=location.href;${'ab=aa+ab;'.repeat(size)}${'if(ab){}'.repeat(size)}`,
    (code) => readScriptEffects([code]),
  ],
  [
    'choices within choices',
    (size) => `document.write(${'a?"<b>x</b>":('.repeat(45)}"${'<a>x</a>'.repeat(size)}"${')'.repeat(45)})`,
    (code) => readScriptEffects([code]),
  ],
  [
    'a long selector, written to often',
    (size) => `ads=document.querySelector("${'a '.repeat(size)}");${'ads.innerHTML=b;'.repeat(size)}`,
    (code) => readScriptEffects([code]),
  ],
  [
    'a class of one name again and again',
    (size) => `<div class="${'_catalog'.repeat(size)}!"></div><script></script>`,
    (html) => judgePage({ html }),
  ],
  [
    'data of empty elements',
    repeat(`<p data-props='{"a":"a b c d e f g h i j"}'></p>`, '<script></script>'),
    (html) => judgePage({ html }),
  ],
  [
    'digits of an amount',
    repeat('1', 'x'),
    (price) => judgePage({ html: `<b data-price="${price}"></b><script></script>` }),
  ],
  ['elements that never end', repeat('<svg><b><p>'), analyze],
  ['ends of what was never opened', repeat('<svg><foreignObject></math>'), analyze],
  ['slashes of a link', repeat('/', 'x/'), (path) => toPageAddress(`http://example.com/a${path}`)],
  [
    'a refresh of spaces',
    repeat(' '),
    (gap) => readAnswerLinks({ ...page(`<meta http-equiv=refresh content="0${gap}x">`) }),
  ],
  ['spaces of a Content-Type', repeat(' ', 'x'), (gap) => charsetLabelOf(`text/html;${gap}`)],
  [
    'spaces of a preference',
    (size) => `wait=5${' '.repeat(size)}"x`,
    refused((header) => readPrefer(header, 0)),
  ],
  ['spaces behind structured data', (size) => structured(`{}]]>${' '.repeat(size)}x`), extract],
  [
    'names of an author',
    (size) => structured(`{"@type":"Article","author":"${', ,'.repeat(size)}x"}`),
    extract,
  ],
  [
    'a class of an author',
    (size) => `<p class="author${'_'.repeat(size)}">${'It says something. '.repeat(50)}`,
    extract,
  ],
  [
    'the width of a picture',
    (size) => `<p><img src=a width="1${' '.repeat(size)}x">${'Text. '.repeat(50)}`,
    extract,
  ],
  ['empty lines of an article', repeat('\n'), escapeMarkdown],
  ['NULs', repeat('\0a'), (text) => decodeText(Buffer.from(text), 'utf-8')],
  ['a refresh of digits', repeat('1', 'x'), (content) => parseRefresh(content)],
  ['names of a content type', (size) => `text/html;${'a'.repeat(size)}`, charsetLabelOf],
  [
    'lines of a header that is folded',
    // No more are read.
    (size) => `HTTP/1.1 200 OK\r\nA: b${'\n x'.repeat(Math.min(size, 87_000))}\r\n\r\n`,
    readHead,
  ],
  [
    'marks at the end of a sentence',
    (size) => `${'A word or two. '.repeat(60)}${'.'.repeat(size)}x .`,
    (text) => measureReadability(text, 'en'),
  ],
  ['the name of a Word tag that never ends', repeat('a', '<'), (rest) => markNumbers(`<w:${rest}`, '', '')],
  ['heads of tables in heads of tables', repeat('<table><thead><tr><td>'), codeTables],
  ['gutters of tables in tables', repeat('<table><tr><td class=gutter></td><td>'), codeTables],
  ['spaces of inline code', (size) => `<p><code>${' '.repeat(size)}x</code>`, toMarkdown],
  ['items of a numbered list', (size) => `<ol>${'<li>a</li>'.repeat(size * 4)}</ol>`, toMarkdown],
  ['marks of text, one within another', (size) => `${'<b>'.repeat(size)}x`, toMarkdown],
  ['spans with text, one within another', (size) => `<title>T</title><p>${'<span>a '.repeat(size)}`, extract],
  ['names of functions in a formula', (size) => `<math>${'<mi>sin</mi>'.repeat(size)}`, toMarkdown],
  ['attributes of one tag before a noscript', (size) => `<p${' a=""'.repeat(size)}><noscript>`, showNoscript],
  ['tags of noscripts without an end', repeat('<title ', '<noscript>'), showNoscript],
  [
    'comments of a page in an unknown encoding',
    repeat('<!--\xe9'),
    (text) => findCharset(Buffer.from(text, 'latin1'), '', 'html'),
  ],
  [
    'a head in an unknown encoding',
    repeat('<script>\xe9'),
    (text) => findCharset(Buffer.from(text, 'latin1'), '', 'html'),
  ],
  [
    'parts of a label of code',
    (size) =>
      `<div><p>sh ${'<b> '.repeat(size)}<button>Copy</button></p><pre class=language-sh>a</pre></div>`,
    codeLabels,
  ],
  [
    'days within comments',
    (size) => `<h1>Slate</h1>${'<div class=comments><time class=updated datetime=2024-03-14>'.repeat(size)}`,
    extract,
  ],
  [
    'days within parts',
    (size) => `<h1>Slate</h1>${'<div>'.repeat(size / 2)}${'<time class=date>1 May</time>'.repeat(size)}`,
    extract,
  ],
  ['drawings without an end', repeat('<svg '), leanMarkup],
  ['drawings that hold text', (size) => `${'<svg/a>'.repeat(size)}<p></svg>`, leanMarkup],
  ['drawings with one end', (size) => `${'<svg>'.repeat(size)}${'x'.repeat(size)}</svg>`, leanMarkup],
  ['captions in captions', repeat('<div class=caption><img src=a>x'), parsePage],
  [
    'notes in notes',
    (size) =>
      `${Array.from({ length: size }, (_, n) => `<a id=r${n} href=#n${n}>1</a>`).join('')}${Array.from({ length: size }, (_, n) => `<div id=n${n}><a href=#r${n}>1</a>`).join('')}`,
    parsePage,
  ],
  [
    'notes beside notes',
    (size) =>
      Array.from(
        { length: size },
        (_, n) => `<a id=r${n} href=#n${n}>1</a><dt id=n${n}>1<dd><a href=#r${n}>1</a>`,
      ).join(''),
    parsePage,
  ],
  ['prefixes of names', (size) => structured(`{${'"schema:a":1,'.repeat(size)}"b":1}`), extract],
  ['full lines of plain text', repeat(`${'a'.repeat(70)}\n`), (text) => readPlainText(text, null)],
  ['lines of a paragraph', repeat('a\n'), (text) => joinLines(text.split('\n'))],
  ['frames of code', repeat('<div><pre>a</pre><button>Copy</button>'), codeLabels],
];
function extract(html: string) {
  return extractPage({ html, url });
}
function structured(text: string) {
  return `<script type="application/ld+json">${text}</script><p>${'It says something. '.repeat(50)}`;
}
function refused(run: (input: string) => unknown) {
  return (input: string) => expect(() => run(input)).toThrow();
}
function codeTables(html: string) {
  replaceCodeTables(parseTree(html), { excluded: new Set(), replaced: new Map() });
}
function codeLabels(html: string) {
  const { blocks } = readBlocks(parseTree(html));
  leaveOutCodeLabels(blocks, new Uint8Array(blocks.length).fill(1));
}
function readHead(head: string) {
  const heads = new AnswerHeads();
  heads.expect();
  return heads.pass(Buffer.from(head));
}
function page(html: string) {
  return { body: Buffer.from(html), headers: { 'content-type': 'text/html' }, url };
}

test.each(cases)('%s cost in proportion', (_what, make, run) => {
  expect(growthOf(make, run, 1_000)).toBeLessThan(1.6);
});

test('a workbook is read twice at most, however many sheets say that they go on', () => {
  const book = utils.book_new();
  for (const name of ['A', 'B', 'C'])
    utils.book_append_sheet(book, { A1: { t: 's', v: name }, '!ref': 'A1:A50600' }, name);
  const { html, warnings } = readWorkbook(write(book, { type: 'buffer', bookType: 'xlsx' }) as Buffer);
  expect(html.match(/<h2>/g)).toHaveLength(3);
  expect(warnings).toEqual([]);
  expect(vi.mocked(read).mock.calls.length).toBeLessThanOrEqual(2);
});

describe('patterns', () => {
  const path = 'a'.repeat(900);

  test.each(['**a'.repeat(160), '*a'.repeat(240), `**${'?'.repeat(300)}`])('the glob %s', (pattern) => {
    const matches = createUrlFilter([pattern], []);
    expect(growthOf((size) => `${url}${'a'.repeat(size)}b`, matches, 1_000)).toBeLessThan(1.6);
  });

  test('a glob that is long itself', () => {
    const make = (pattern: string) => createUrlFilter([pattern], []);
    expect(growthOf((size) => '*a'.repeat(size), make, 1_000)).toBeLessThan(1.6);
  });

  test('a group of robots.txt that begins again and again', () => {
    const robots = (size: number) => `${'user-agent:*\n'.repeat(size)}${'allow:/\n'.repeat(size)}`;
    expect(growthOf(robots, (text) => parseRobots(text, 'Quarry'), 500)).toBeLessThan(1.6);
  });

  test('a rule of robots.txt that is all stars', () => {
    const { allows } = parseRobots(`User-agent: *\nDisallow: /${'*a'.repeat(5_000)}b`, 'Quarry');
    expect(growthOf((size) => `${url}${'a'.repeat(size)}`, allows, 1_000)).toBeLessThan(1.6);
  });

  test('many such rules', () => {
    const allowsOf = (size: number) =>
      parseRobots(`User-agent: *\n${'Disallow: /*a*a*a*b\n'.repeat(size)}`, 'Quarry').allows;
    const ask = (allows: (url: string) => boolean) => {
      // More rules would cost no more: what there are must be enough to be measured.
      for (let n = 0; n < 500; n++) allows(`${url}${path}${n}`);
    };
    // Past a thousand, rules are looked at by their beginnings alone.
    expect(growthOf(allowsOf, ask, 1_000, 1.2)).toBeLessThan(1.2);
  });

  test('rules with long parts that repeat themselves, as the URL does', () => {
    const make = (size: number) => ({
      rules: parseRobots(`User-agent: *\n${`Disallow: /*ab${'a'.repeat(size)}\n`.repeat(40)}`, 'Quarry'),
      asked: `${url}${'a'.repeat(size * 4)}`,
    });
    expect(growthOf(make, ({ rules, asked }) => rules.allows(asked), 1_000)).toBeLessThan(1.6);
  });

  test('rules of many stars', () => {
    const rulesOf = (size: number) =>
      parseRobots(`User-agent: *\n${`Disallow: /${'*a'.repeat(200)}b\n`.repeat(size)}`, 'Quarry').allows;
    const ask = (allows: (url: string) => boolean) => {
      for (let n = 0; n < 20; n++) allows(`${url}${path}${n}`);
    };
    expect(growthOf(rulesOf, ask, 100, 0.5)).toBeLessThan(0.5);
  });
});
