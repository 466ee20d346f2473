import { expect, test } from 'vitest';
import extractPage from '../../src/workers/extract/extract-page.ts';
import { readMetadata } from '../../src/workers/page/html/metadata.ts';

function read(html: string, headers = {}) {
  const { head, metadata } = readMetadata(html, { url: 'https://site.test/a/b', headers, charset: null });
  return { title: head.title, ...metadata };
}

test('title, description, canonical, language, robots and icon are read; addresses become absolute', () => {
  const html = `<!doctype html><html lang=" de ">
    <title> One
      title </title><title>Another</title>
    <meta name="Description" content=" What it  is ">
    <meta name=robots content="noindex, nofollow">
    <link rel="shortcut icon" href="/icon.png"><link rel="canonical" href="../c?x=1">`;
  expect(read(html)).toMatchObject({
    title: 'One title',
    description: 'What it is',
    language: 'de',
    robots: 'noindex, nofollow',
    favicon: 'https://site.test/icon.png',
    canonical: 'https://site.test/c?x=1',
  });
});

test('of a title of megabytes a thousand characters are kept', () => {
  expect(read(`<title>${'t'.repeat(3_000_000)}</title>`).title).toHaveLength(1_000);
});

test('open graph and twitter keep the first value of each property', () => {
  const html = `<meta property="og:title" content="A"><meta property="og:title" content="B">
    <meta name="og:type" content="article"><meta name="twitter:card" content="summary">`;
  expect(read(html)).toMatchObject({
    openGraph: { title: 'A', type: 'article' },
    twitter: { card: 'summary' },
  });
});

test('JSON-LD blocks that parse are kept, those that do not are passed over', () => {
  const html = `<script type="application/ld+json">{"@type":"Article"}</script>
    <script type="application/ld+json">{broken</script>
    <script type="application/ld+json"><!-- {"@type":"Person"} --></script>`;
  expect(read(html).jsonLd).toEqual([{ '@type': 'Article' }, { '@type': 'Person' }]);
});

test("<base> moves relative addresses; the title of an SVG is not the page's", () => {
  const html = `<base href="https://other.test/x/"><svg><title>Icon</title></svg><math><title>Sum</title></math><template><title>Row</title></template><link rel="canonical" href="y"><title>Page</title>`;
  expect(read(html)).toMatchObject({ canonical: 'https://other.test/x/y', title: 'Page' });
});

test('what a page does not say is null, and the Content-Language header stands in for lang', () => {
  expect(read('<p>Nothing</p>')).toMatchObject({
    title: null,
    description: null,
    canonical: null,
    favicon: null,
    language: null,
  });
  expect(read('<p>Nothing</p>', { 'content-language': 'fr, en' }).language).toBe('fr');
});

test('a hundred thousand nested elements are read without a deep stack', () => {
  const html = '<div>'.repeat(100_000) + '<title>Deep</title>';
  expect(read(html).title).toBe('Deep');
});

test('JSON-LD: what is broken, or nested without end, costs itself only', () => {
  const block = (text: string, type = 'application/ld+json') => `<script type="${type}">${text}</script>`;
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
  const html =
    block('{"a":1,}') +
    block(deep) +
    block('{"b":2}', 'application/ld+json; charset=utf-8') +
    block('"\\u0000\\ud800"');
  expect(read(html).jsonLd).toEqual([{ b: 2 }, '\ufffd\ufffd']);
});

test('a tag that is a description and an open graph property is both', () => {
  const html = '<meta name="description" property="og:description" content="Both">';
  expect(read(html)).toMatchObject({ description: 'Both', openGraph: { description: 'Both' } });
});

test('several tags for robots hold together', () => {
  const html = '<meta name=robots content="max-image-preview:large"><meta name="ROBOTS" content=" noindex">';
  const both = `${html}<meta name=robots content=noindex>`;
  expect(read(both).robots).toBe('max-image-preview:large, noindex');
});

const whole = 'Booking.com announces record results';
const compared = 'Go | Rust | Zig compared';
test.each([
  [whole, whole, whole],
  [whole, 'News', whole],
  ['Booking.com Record results', 'News', 'Record results'],
  [compared, compared, compared],
  ['A | B testing for beginners', 'A | B testing for beginners', 'A | B testing for beginners'],
  [`${compared} - Booking.com`, compared, compared],
  ['Slate roofs | Booking', 'Slate roofs | Booking', 'Slate roofs'],
  ['Slate roofs | Fine houses', 'Roofs', 'Slate roofs'],
])('the content of <title>%s and <h1>%s is called %s', (title, heading, expected) => {
  const html = `<title>${title}</title><main><h1>${heading}</h1><p>${'It says something. '.repeat(30)}</p></main>`;
  expect(extractPage({ html, url: 'https://www.booking.com/news/1' }).title).toBe(expected);
});
