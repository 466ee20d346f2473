import fc from 'fast-check';
import { parse } from 'parse5';
import { adapter } from 'parse5-htmlparser2-tree-adapter';
import { expect, test } from 'vitest';
import extractPage from '../../src/workers/extract/extract-page.ts';
import { readBlocks } from '../../src/workers/extract/blocks.ts';
import { keepParts } from '../../src/workers/extract/keep-parts.ts';
import { keepTablesWhole } from '../../src/workers/extract/keep-tables.ts';
import { parseTree } from '../../src/workers/extract/parse-tree.ts';
import { pickBlocks } from '../../src/workers/extract/pick-blocks.ts';
import { readableShares } from '../../src/workers/extract/readable.ts';

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
  const any = { readable: -1, beside: false, opinion: false };
  const entries = Array.from({ length: 50 }, () => ({ ...any, words: 6, likely: 0.1 }));
  const links = Array.from({ length: 50 }, () => ({ ...any, words: 3, likely: 0.1, beside: true }));
  const heading = { ...any, words: 25, likely: 0.6 };
  const { picked } = pickBlocks([...links, heading, ...entries], 'other');
  expect([...picked]).toEqual([...links.map(() => 0), 1, ...entries.map(() => 1)]);
});

test('a page that shows menus only, or asks for scripts only, has no content', () => {
  const foot = '<footer><p>By subscribing you agree to receive letters from us.</p></footer>';
  expect(textOf(`${menu}<div id="root"></div>${foot}`)).toBe('');
  expect(
    textOf('<noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div>'),
  ).toBe('');
});

test('confidence tells an article from entries that read like none, and is 0 of a page without text', () => {
  const confidenceOf = (
    body: string,
    wishes: { selector?: string; onlyMainContent?: boolean } = {},
  ): number =>
    extractPage({ html: `<!doctype html><title>Slate</title><body>${body}`, url, ...wishes }).confidence;
  const paragraph = (i: number): string =>
    `<p>Paragraph ${i}: the block has to be wet when it is split, or the sheets break at the edges, as the old hands say, and nobody has found a better way since.</p>`;
  const dated = '<meta property="og:type" content="article">';
  const article = `${menu}<article><h1>How to split slate</h1>${repeat(12, paragraph)}</article>`;
  expect(confidenceOf(dated + article)).toBeGreaterThan(0.9);
  const links = repeat(9, (i) => `<div><a href="/${i}">Entry ${i}</a> <a href="/x${i}">More</a></div>`);
  expect(confidenceOf(menu + links)).toBeLessThan(0.7);
  expect(confidenceOf(menu + links, { selector: 'div' })).toBe(1);
  expect(confidenceOf(`${menu}<div id="root"></div>`)).toBe(0);
  expect(confidenceOf('<div id="root"></div>', { onlyMainContent: false })).toBe(0);
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

test.each([
  [
    'that can be clicked',
    '<li class="task-list-item"><label><input type=checkbox checked> split</label>',
    true,
  ],
  ['in a label', '<li><label><input type=checkbox checked disabled> split</label>', true],
  ['before its label', '<li class="todo"><input type=checkbox checked><label>split</label>', true],
  ['of a filter', '<li><label><input type=checkbox checked name=work> split</label>', false],
])('a box %s', (_, item, isKept) => {
  const { html } = extractPage({ html: `<p>Done:<ul>${item}</ul>`, url, onlyMainContent: false });
  expect(html.includes('<input type="checkbox" disabled checked>')).toBe(isKept);
  expect(html).toContain('split');
});

test('a small page is its content whole', () => {
  const list = repeat(5, (i) => `<li><a href="/${i}">Link ${i}</a>`);
  const text = textOf(
    `<nav><a href="/">Home</a></nav><h1>Good links</h1><ul>${list}</ul><footer>© 2026</footer>`,
  );
  expect(text.split(/\n+/)).toEqual(['Good links', 'Link 0', 'Link 1', 'Link 2', 'Link 3', 'Link 4']);
});

test.each([
  ['a table', '<table><tr><td>Depth<td>80 m<tr><td>Men<td>14</table>', true],
  ['a list of definitions', '<dl><dt>Slate<dd>A fine stone</dl>', true],
  ['a short list', '<ul><li>Hammer<li>Wedge</ul>', true],
  ['a line of code', '<pre>npm install slate</pre>', true],
  [
    'a list, a picture and a quote',
    '<ul><li>Hammer</ul><img src="/a.png" alt="A"><blockquote>Dig.</blockquote>',
    true,
  ],
  ['a heading before a list', '<h2>Tools</h2><ul><li>Hammer</ul>', true],
  ['a list of links', '<ul><li><a href="/a">Hammer</a></ul>', false],
  ['a heading before a list of links', '<h2>Read more</h2><ul><li><a href="/a">Hammer</a></ul>', false],
  ['a menu', '<nav><ul><li>Hammer</ul></nav>', false],
  ['a list in a box', '<div><ul><li>A hammer<li>Two wedges<li>Water</ul></div>', true],
  ['a table in a box', '<div><table><tr><td>Depth<td>80 m</table></div>', true],
  ['buttons in a box', '<div><ul><li>Share<li>Print<li>Email</ul></div>', false],
  ['stars in a box', '<div><ul><li>★<li>★<li>★</ul></div>', false],
  ['numbers of pages in a box', '<div><ul><li>1<li>2<li>3<li>Next</ul></div>', false],
  ['sites in a box', '<div><h3>Follow us</h3><ul><li>Stone<li>Slate</ul></div>', false],
])('%s amidst of picked paragraphs', (_, part, isKept) => {
  const page = readBlocks(parseTree(`<p>Before.</p>${part}<p>Behind.</p>`));
  const picked = Uint8Array.from(page.blocks, ({ scope }) => (scope.tag === 'p' ? 1 : 0));
  keepParts(page, [], picked);
  expect(picked.every((one) => one === 1)).toBe(isKept);
});

test('a list is kept whole, and what a heading announces', () => {
  const html = '<ul><li>Onions, sliced<li>Stock of bones<li>Salt</ul><h2>Sizes</h2><dl><dt>Pot<dd>2 l</dl>';
  const page = readBlocks(parseTree(html));
  const picked = Uint8Array.from([1, 1, 0, 1, 0, 0]);
  keepParts(page, [], picked);
  expect([...picked]).toEqual([1, 1, 1, 1, 1, 1]);
});

test.each([
  ['most words', [0, 1, 0, 0, 1, 0], 1],
  ['most cells', [1, 0, 1, 1, 0, 1], 1],
  ['few of either', [0, 0, 1, 0, 0, 0], 0],
])('a table of which %s are picked is content whole or not at all', (_, some, kept) => {
  const row = '<tr><td>1986<td>Learning to split slate in thin sheets<td>310';
  const page = readBlocks(parseTree(`<table>${row}${row}</table>`));
  const picked = Uint8Array.from(some);
  keepTablesWhole(page, [1, 7, 1, 1, 7, 1], picked);
  expect([...picked]).toEqual(some.map(() => kept));
});

const shadow = (html: string): string =>
  `<template shadowrootmode="open"><style>b{}</style>${html}</template>`;

test.each([
  ['its own', `<x-a>${shadow('<p>One</p>')}</x-a><p>Two</p>`, 'One\n\nTwo'],
  [
    'slots',
    `<x-a>${shadow('<p>One</p><slot name=b></slot><slot>No</slot>')}<p>Three<p slot=b>Two</x-a>`,
    'One\n\nTwo\n\nThree',
  ],
  ['no slot', `<x-a>${shadow('<p>One</p>')}<p>Two</p></x-a>`, 'One\n\nTwo'],
  ['a slot that nothing fills', `<x-a>${shadow('<slot><p>One</p></slot>')}</x-a>`, 'One'],
  [
    'a tree within',
    `<x-a>${shadow(`<x-b>${shadow('<p>One</p><slot></slot>')}<slot name=c></slot></x-b>`)}<p slot=c>Two</p></x-a>`,
    'One\n\nTwo',
  ],
  ['a second one beside', `<x-a>${shadow('<p>One</p>')}${shadow('<p>Two</p>')}</x-a>`, 'One'],
  ['a host that takes none', `<ul><li>${shadow('Two')}<p>One</p></ul>`, 'One'],
])('the content of a shadow tree with %s is read', (_, html, text) => {
  expect(textOf(html)).toBe(text);
  expect(
    extractPage({ html: `<div id=a>${html}</div>`, url, selector: '#a p:first-of-type' }).text,
  ).toContain('One');
});

test.each([
  ['code', '<pre><code>a\n  <b>b</b></code></pre>', 'a\n  b'],
  ['#tab', '<div id=tab style="display:none"><p>Two', 'Two'],
  ['dialog', '<p>One</p><dialog><p>Two</dialog>', 'Two'],
  ['textarea', '<textarea>Two</textarea>', 'Two'],
  ['.price', '<p>Our price <span class=price>$5</span> incl. VAT', '$5'],
  ['b', '<ul><li>One <b>two</b></li><li><b>three</b> <b>four</b></li></ul>', 'two\nthree\nfour'],
  ['td', '<table><tr><td>One<td>Two<tr><td>Three</table>', 'One\tTwo\nThree'],
  ['p, a, strong', '<p>Hello <strong>dear</strong> <a>reader</a>.</p>', 'Head.\n\nHello dear reader.'],
  [
    'div *',
    '<div><p>One <b hidden>two</b><select><option>three</select><template>four</template></div>',
    'One',
  ],
])('`%s` reads what it matches, and nothing beside', (selector, html, text) => {
  expect(extractPage({ html: `<p>Head.</p>${html}`, url, selector }).text).toBe(text);
});

test('a heading that is matched in part stays one, and an element without content is refused', () => {
  const html = '<h2>On <em>slate</em></h2><div id=root></div>';
  expect(extractPage({ html, url, selector: 'em' }).html).toBe('<h2><em>slate</em></h2>');
  expect(() => extractPage({ html, url, selector: '#root' })).toThrow('matches on the page is empty');
});

test.each([
  '<p>Please enable JavaScript',
  '<div><img src="https://site.example/pixel.gif">',
  '<!-- x',
  '<iframe src="https://site.example/count">',
  '<div>Please enable JavaScript',
])('a noscript ends at its end tag, with %s open', (told) => {
  const story = '<p>The block has to be wet when it is split.</p>';
  expect(textOf(`<noscript>${told}</noscript>${story}`)).toBe('The block has to be wet when it is split.');
});

test.each([
  '<p title="<noscript>">One</p><p>Two',
  "<p title='a > b <noscript>' class=x>One</p><p>Two",
  '<p>One</p><input value="<noscript>"><p>Two</p><noscript>Three</noscript>',
])('a noscript in the value of an attribute begins nothing: %s', (html) => {
  expect(textOf(html)).toBe('One\n\nTwo');
});

test('a noscript in a comment or a script begins nothing', () => {
  const text = textOf('<!-- <noscript> --><script>"<noscript>"</script><p>One<noscript>Two</noscript>');
  expect(text).toBe('One');
});

test('a drawing’s empty title holds nothing', () => {
  expect(textOf('<svg><title/></svg><p>One</p><noscript>Two</noscript><p>Three')).toBe('One\n\nThree');
});

test('where scripts have run, a noscript is the page only where nothing else is seen', () => {
  const told = `<noscript>${'<p>The block has to be wet when it is split.</p>'.repeat(10)}</noscript>`;
  const textAfterScripts = (body: string) =>
    extractPage({ html: `<!doctype html>${body}`, url, hasRunScripts: true }).text;
  expect(textAfterScripts(`<p>How slate is split.</p>${told}`)).toBe('How slate is split.');
  expect(textAfterScripts(told)).toContain('has to be wet');
});

test('of a noscript without text, its pictures stay', () => {
  const html = '<p>One</p><noscript><div><img src="/a.png?b&amp;c" alt=\'"A"\'></noscript><p>Two</p>';
  expect(extractPage({ html, url }).images).toMatchObject([{ url: `${url}a.png?b&c`, alt: '"A"' }]);
});

test.each([
  ['font-size:0', true],
  ['transform:scale(0)', true],
  ['position:absolute;left:-1200px', true],
  ['left:-9999px', true],
  ['position:absolute;left:-9999px', false],
  ['top: -10000px; position: fixed', false],
  ['text-indent:-9999px', false],
  ['visibility:collapse', false],
  ['content-visibility:hidden', false],
  ['position:absolute;clip:rect(0,0,0,0)', false],
])('text in an element of the style %s is read: %s', (style, isRead) => {
  expect(textOf(`<p>One</p><div style="${style}"><p>Two</p></div>`)).toBe(isRead ? 'One\n\nTwo' : 'One');
});

test('of a picture, the first 40 children count', () => {
  const others = (n: number): string => '<b></b>'.repeat(n);
  const picture = (n: number): string =>
    `<p>Slate</p><picture>${others(n)}<source srcset=/a.png><img></picture><p>Slate</p>`;
  const [few, many] = [picture(30), picture(39)].map((html) => extractPage({ html, url }).images.length);
  expect([few, many]).toEqual([1, 0]);
});

test('what stands beside pictures is found at once, however many there are', () => {
  let reads = 0;
  const page = readBlocks(parseTree(`${'<p><img src=a.png></p>'.repeat(300)}${'<ul><li>'.repeat(300)}text`));
  for (const block of page.blocks) {
    const { text } = block;
    Object.defineProperty(block, 'text', { get: () => (reads++, text) });
  }
  keepParts(page, [], new Uint8Array(page.blocks.length));
  expect(reads).toBeLessThan(page.blocks.length * 10);
});

test('a thread is by whoever posted first', () => {
  const post = (name: string): string =>
    `<article><a href="/members/${name}.7/">${name}</a><p>The block has to be wet when it is split, or the sheets break at the edges.</p></article>`;
  const editor =
    '<div>edited May 2</div><div><a href="/members/bob.8/">bob</a></div><p>9 points<p>asked May 1';
  const html = `<h1>How to split slate</h1>${editor}${post('ada_9000')}${post('charles')}<div class="author">charles</div>`;
  expect(extractPage({ html, url: 'http://site.example/threads/slate.12/' }).byline).toBe('ada_9000');
});

test('a page is read as the library reads it', () => {
  const words = ' |\n|\r\n|\r|\t x|a b|é|😀|\ud83d|\0|&amp;|&#32;|&|<|"|>|</|-|<!--|-->|<![CDATA[|]]>';
  const tags =
    'p b table tr td pre textarea script style title svg select option noscript template colgroup li';
  const piece = fc.constantFrom(
    ...words.split('|'),
    ...tags.split(' ').flatMap((tag) => [`<${tag}>`, `</${tag}>`]),
    '<a href="x y&amp;z">',
    '<body class="a\r\nb">',
    "<i x='a b' y=c d>",
    '<a title="',
    '</body>',
    '<br>',
  );
  const flat = (html: string, tree: ReturnType<typeof parseTree>): string =>
    `${html}${JSON.stringify(tree, (key, value: unknown) => (/^(?:parent|prev|next)$/.test(key) ? undefined : value))}`;
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
      const html = pieces.join('');
      const expected = parse(html, { treeAdapter: adapter, scriptingEnabled: false });
      expect(flat(html, parseTree(html))).toBe(flat(html, expected));
    }),
    { numRuns: 200 },
  );
});

test('Readability, which is quadratic in depth, is not asked about thousands of nested inline elements', () => {
  const story = repeat(
    9,
    (i) => `<p>The block number ${i} has to be wet, or its sheets break, as the old say.</p>`,
  );
  const sharesOf = (depth: number): number[] => {
    const html = `<!doctype html><html><head></head><body>${story}<p>${repeat(depth, () => '<b>x</b><b>')}`;
    return [...readableShares(html, readBlocks(parseTree(html)).blocks.slice(0, 9), 3)];
  };
  expect(sharesOf(10)).toEqual(Array(9).fill(1));
  expect(sharesOf(2_000)).toEqual(Array(9).fill(-1));
  const times = `${'<div>'.repeat(400)}${'<time class=date>1 May</time>'.repeat(2_000)}`;
  const { blocks } = readBlocks(parseTree(story));
  expect([...readableShares(story + times, blocks, 400)]).toEqual(Array(9).fill(-1));
});

test('the short replies of a thread stay in their places', () => {
  const said = (n: number): string =>
    `Have you tried chisel ${n}? It goes in with much less force, and the sheet comes off whole nearly each time.`;
  const posts = [said(1), said(2), 'Thanks!', said(3), 'Same here.', said(4), '+1'];
  const post = (text: string, i: number): string =>
    `<article class="message"><h4><a href="/m/${i}">mason${i}</a></h4><header><time datetime="2024-03-1${i}">Mar 1${i}</time></header><div class="body"><div>${text}</div></div><footer><a href="/r">Reply</a></footer></article>`;
  const html = `<title>Splitting slate</title><nav><a href="/">Home</a></nav><h1>Splitting slate</h1>${posts.map(post).join('')}`;
  const { text } = extractPage({ html, url: 'http://a.example/threads/splitting.12/' });
  expect(text.split('\n').filter((line) => posts.includes(line))).toEqual(posts);
});

const paragraph =
  'The block has to be wet when it is split, or the sheets break at the edges, as the old hands say.';
test.each([
  ['a panel of tabs', '<div role="tabpanel" hidden><p>Behind a tab.</p></div>', true],
  [
    'one of several panels',
    '<div class="tab-pane"><p>Open.</p></div><div class="tab-pane" style="display:none"><p>Behind a tab.</p></div>',
    true,
  ],
  [
    'one of several panels whose classes stand in another order',
    '<div class="panel tab-pane"><p>Open.</p></div><div class="tab-pane panel" style="display:none"><p>Behind a tab.</p></div>',
    true,
  ],
  [
    'an accordion',
    '<h3><button aria-expanded="false">More</button></h3><div class="accordion-body" hidden><p>Behind a tab.</p></div>',
    true,
  ],
  [
    'an accordion whose others are open',
    '<div class="faq-item is-open"><p>Open.</p></div><div class="faq-item"  hidden><p>Behind a tab.</p></div>',
    true,
  ],
  [
    'a log-in',
    '<button aria-expanded="false">Sign in</button><div class="panel login" hidden><p>Behind a tab.</p></div>',
    false,
  ],
  [
    'a form',
    '<h3>Sign in</h3><div class="collapse" hidden><p>Behind a tab.</p><p><input name="password"></p></div>',
    false,
  ],
  [
    'a log-in with much to say',
    `<h3>Sign in</h3><div class="collapse" hidden><p>Behind a tab.</p><p>${paragraph.repeat(4)}</p><input type="Password"></div>`,
    false,
  ],
  [
    'what asks for something and says little',
    '<div role="tabpanel" hidden><p>Behind a tab.</p><select><option>One</select><script>let text = "not said to anybody, however long it may be: ten, twenty, thirty, forty, fifty, sixty, seventy, eighty, ninety"</script></div>',
    false,
  ],
  [
    'a text with a field beside it',
    `<div role="tabpanel" hidden><p>Behind a tab.</p><p>${paragraph.repeat(2)}</p><select><option>One</select></div>`,
    true,
  ],
  [
    'what has a button',
    '<div role="tabpanel" hidden><p>Behind a tab.</p><input type="submit" value="More"></div>',
    true,
  ],
  [
    'a site that is one form',
    '<form><div class="tab-pane"><p>Open.</p></div><div class="tab-pane" hidden><p>Behind a tab.</p></div></form>',
    true,
  ],
  [
    'a form that is a panel itself',
    '<h3>Sign in</h3><form class="collapse" hidden><p>Behind a tab.</p></form>',
    false,
  ],
  [
    'one of several panels with numbers',
    '<div class="tab-content tab-1 is-active"><p>Open.</p></div><div class="tab-content tab-2" hidden><p>Behind a tab.</p></div>',
    true,
  ],
  [
    'the menu of a button',
    '<button aria-haspopup="true">More</button><div class="collapse" hidden><p>Behind a tab.</p></div>',
    false,
  ],
  [
    'a menu by its name',
    '<button aria-expanded="false">More</button><div class="navbar-collapse collapse" hidden><p>Behind a tab.</p></div>',
    false,
  ],
  [
    'a note on cookies',
    '<h2>Cookies</h2><div class="panel cookies" hidden><p>Behind a tab.</p></div>',
    false,
  ],
  [
    'an error',
    '<div class="panel"><p>Open.</p></div><div class="panel error" style="display:none"><p>Behind a tab.</p></div>',
    false,
  ],
  [
    'what is like an open one in its first class only',
    '<div class="answer"><p>Open.</p></div><div class="answer wrong" style="display:none"><p>Behind a tab.</p></div>',
    false,
  ],
  ['no panel', '<h3>More</h3><div hidden><p>Behind a tab.</p></div>', false],
  ['a panel that nothing opens', '<p>More</p><div class="panel" hidden><p>Behind a tab.</p></div>', false],
  ['a menu', '<button>More</button><nav class="collapse" hidden><p>Behind a tab.</p></nav>', false],
])('what is folded in %s is read', (_, html, isRead) => {
  const { blocks } = readBlocks(parseTree(`<p>${paragraph}</p>${html}`));
  expect(blocks.some(({ text, scope }) => text === 'Behind a tab.' && !scope.hidden)).toBe(isRead);
});

test('what is shown in two layouts is told once', () => {
  const wide = `<section class="wide"><h2>Why it breaks</h2><p>${paragraph}</p></section>`;
  const text = textOf(`<article><h1>Slate</h1>${wide}${wide.replace('wide', 'narrow')}</article>`);
  expect(text.split(paragraph)).toHaveLength(2);
  expect(text.split('Why it breaks')).toHaveLength(2);
});

const again = 'Warm up for ten minutes at an easy pace, then stretch.';
const lineAfter = 'Rest for an hour, and drink a litre of water before noon.';
const three = (part: (n: number) => string): string => [1, 2, 3].map(part).join('');
test.each([
  [
    'a refrain',
    `<section>${three((n) => `<p>Verse ${n} has words of its own, it does.</p><p>${again}</p>`)}</section>`,
  ],
  [
    'the choruses of a song',
    three(
      (n) =>
        `<p>Verse ${n} has words of its own, it does.</p><div class="chorus"><p>${again}</p><p>${lineAfter}</p></div>`,
    ),
  ],
  [
    'a step of several days',
    three((n) => `<h2>Day ${n}</h2><ol><li>${again}</li><li>Run ${n} miles.</li></ol>`),
  ],
  [
    'the same days',
    three((n) => `<h2>Day ${n}</h2><ol class="day d${n}"><li>${again}</li><li>${lineAfter}</li></ol>`),
  ],
  ['parameters', three((n) => `<dl><dt>method${n}</dt><dd>${again}</dd></dl>`)],
  [
    'replies',
    three((n) => `<div class="reply r${n}"><b>User ${n}</b><p>${again}</p><p>${lineAfter}</p></div>`),
  ],
])('what is meant twice is told so: %s', (_, html) => {
  const text = textOf(`<article><h1>Slate</h1><p>${paragraph}</p>${html}</article>`);
  expect(text.split(again)).toHaveLength(4);
});

test('what names or signs a thing is kept with it', () => {
  const said = (what: string): string =>
    `<p>${`${what} is split from the block along its grain. `.repeat(6)}</p>`;
  const { text, html } = extractPage({
    html: `<title>Slate</title><body><nav><a href="/">Home</a></nav><main><h1>Slate</h1>${said('A slate')}
      <details><summary>Tip</summary>${said('A wet slate')}</details>
      <blockquote><p>${'No roof outlives a slate roof that is laid well. '.repeat(4)}</p><footer>— <cite>A roofer</cite></footer></blockquote>
      <table><caption>Sizes</caption><tr><th>Small</th><td>20 cm</td></tr><tr><th>Large</th><td>60 cm</td></tr></table>
      ${said('A thick slate')}</main><footer>© Slate</footer>`,
    url,
  });
  expect(text).toMatch(/\n\nTip\n\nA wet slate[^]+\n\n— A roofer\n\nSizes\nSmall\t20 cm/);
  expect(html).toMatch(/<summary>Tip\s*<\/summary>/);
  expect(text).not.toContain('©');
});

test('a Japanese page is read to its end', () => {
  const { text } = extractPage({
    html: `<!doctype html><html lang="ja"><title>東京の桜 | 旅ブログ</title><header><a href="/">旅ブログ</a></header><div class="post"><h1>東京の桜</h1><div class="meta">2025年3月28日 / 山田太郎</div><p>公園の桜は三月下旬に満開となります。毎年多くの人が訪れ、夜までにぎわいます。</p><p>行き方は電車が便利です。駅から歩いて五分ほどで着きます。混雑を避けるなら朝早くがおすすめです。</p><h2>見どころ</h2><ul><li>池のボート</li><li>夜桜のちょうちん</li></ul></div><div class="share">シェアする</div><div class="related"><h3>関連記事</h3><a href="/2">京都の紅葉</a></div>`,
    url: 'http://a.example/x',
  });
  for (const part of ['公園の桜は', '行き方は', '見どころ', '池のボート', '夜桜の'])
    expect(text).toContain(part);
  for (const part of ['旅ブログ', '京都の紅葉']) expect(text).not.toContain(part);
});

test('what is a table or a heading by its role is one', () => {
  const htmlOf = (html: string): string => extractPage({ html, url, onlyMainContent: false }).html;
  const row = (role: string, ...cells: string[]): string =>
    `<div role=row>${cells.map((cell) => `<span role=${role}>${cell}</span>`).join('')}</div>`;
  const rows = row('columnheader', 'Stone', 'Mass') + row('cell', 'Slate', '2.8');
  const table = '<table><tr><th>Stone</th><th>Mass</th></tr><tr><td>Slate</td><td>2.8</td></tr></table>';
  for (const html of [
    `<div role=table>${rows}</div>`,
    `<div role=grid><div role=rowgroup>${rows}</div></div>`,
  ])
    expect(htmlOf(html).replaceAll(/\n|<\/?tbody>/g, '')).toBe(table);
  expect(htmlOf(`<div role=grid>${row('cell', 'One', 'row')}</div>`)).not.toContain('<table>');
  expect(htmlOf('<div role=heading aria-level=3>Stone</div><p>Split.')).toBe('<h3>Stone</h3>\n<p>Split.</p>');
});

test('dots are left out, pictures that a script shows in time are not', () => {
  const html = `<p>Split.<img src=/b.gif style="width:1px;height:1px"><img hidden data-src=/c.jpg><img src=/d.jpg style="width:100px;height:1px"><div class=cycle-slideshow><img src=/1.jpg width=800><img src=/2.jpg width=800 style="display:none"><img src=/3.jpg style="visibility:hidden"></div>`;
  const { images } = extractPage({ html, url, onlyMainContent: false });
  expect(images.map((image) => image.url)).toEqual(
    ['c', 'd', '1', '2', '3'].map((name) => `${url}${name}.jpg`),
  );
});

test('links and buttons side by side are words of their own', () => {
  const lineOf = (html: string): string => extractPage({ html, url, onlyMainContent: false }).text;
  expect(
    lineOf('<p><a href=/a>One</a><a href=/b>Two</a><button>Go</button><button><b>Stop</b></button>'),
  ).toBe('One Two Go Stop');
  expect(lineOf('<p><button>Copy</button>The depth<button><i>Edit</i></button>')).toBe('Copy The depth Edit');
  expect(lineOf('<p>All <button>slate</button>s, <button>iP</button>ad')).toBe('All slates, iPad');
  expect(
    lineOf(
      '<p><a href=/a>Sl</a><a href=/a>ate</a><a name=n></a><a href=/b>s</a>, <a href=/1>[1]</a><a href=/2>[2]</a>',
    ),
  ).toBe('Slates, [1][2]');
});

const quarry =
  '<p>The block has to be wet when it is split, or the sheets break at the edges of the stone.</p>';
const picture = (n: number): string => `<img src="/${n}.jpg" width=600 height=400>`;

test.each([
  [
    'a gallery',
    `<figure class="wp-block-gallery"><figure>${picture(1)}<figcaption>One</figcaption></figure><figure>${picture(2)}<figcaption>Two</figcaption></figure><figure>${picture(3)}</figure><figcaption>All</figcaption></figure>`,
    ['One', 'Two', 'All'],
  ],
  [
    'a class of its own',
    `<div class="image"><a href="/1.jpg">${picture(1)}</a><div class="caption">The <i>upper</i> quarry</div></div>`,
    ['The upper quarry'],
  ],
  [
    'frames in frames',
    `<div class="thumb"><div class="thumbinner"><a href="/1">${picture(1)}</a><div class="thumbcaption"><div class="magnify"><a href="/1"><img src="/zoom.png" width=15></a></div>The upper <a href="/q">quarry</a></div></div></div>`,
    ['The upper quarry'],
  ],
  [
    'an editor of old',
    `<div class="wp-caption aligncenter">${picture(1)}<p class="wp-caption-text">The upper quarry</p></div>`,
    ['The upper quarry'],
  ],
  [
    'a line above the picture',
    `<div class="media"><span class="media__caption">The upper quarry</span>${picture(1)}</div>`,
    ['The upper quarry'],
  ],
])('pictures have the captions that %s gives them', (_, markup, captions) => {
  const page = extractPage({
    html: `<html lang=en><title>Slate</title><article><h1>Slate</h1>${quarry}${markup}${quarry}</article>`,
    url,
  });
  const pictures = page.images.filter(({ url: source }) => source.endsWith('.jpg'));
  expect(pictures.map(({ caption }) => caption)).toEqual(captions);
  for (const caption of captions)
    expect(page.html).toMatch(new RegExp(`<figcaption>[^]*${caption.split(' ').at(-1)}[^]*</figcaption>`));
});

test.each([
  ['a card', `<div class=card>${picture(1)}<div class=caption><h3>Wedge</h3><p>5 €</div></div>`],
  ['a link', `<div class=card>${picture(1)}<div class=caption><a href=/w>Wedge</a></div></div>`],
  ['code', `<div>${picture(1)}</div><div><div class=code-block-caption>Wedge</div><pre>a</pre></div>`],
  ['a text', `<div>${picture(1)}${quarry}<p class=caption>Wedge</p></div>`],
])('what is called a caption and is part of %s is none', (_, markup) => {
  const page = extractPage({
    html: `<title>Slate</title>${quarry}${markup}${quarry}`,
    url,
    onlyMainContent: false,
  });
  expect(page.images.map(({ caption }) => caption)).toEqual([null]);
  expect(page.text).toContain('Wedge');
});

test.each([
  ['<html lang=de>', 'de'],
  ['<body lang=fr>', 'fr'],
  ['<html lang=english>', 'de'],
  ['<html lang=zz><meta property=og:locale content=de_AT>', 'de-AT'],
  ['<html lang=und>', 'de'],
  ['<html lang=kbp>', 'kbp'],
  ['', 'de'],
])('the language of a German text in %s is %s', (head, language) => {
  const html = `${head}<p>Der Block muss nass sein, wenn er gespalten wird, sonst brechen die Platten an den Kanten, wie die Alten sagen.`;
  expect(extractPage({ html, url }).language).toBe(language);
});

test('text that stands in for what is not written yet tells no language', () => {
  const filler =
    'Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore et dolore magna aliqua. Ut enim ad minim veniam, quis nostrud exercitation ullamco laboris nisi ut aliquip ex ea commodo consequat.';
  expect(extractPage({ html: `<p>${filler}`, url }).language).toBeNull();
});

test('a text of few words tells no language', () => {
  expect(extractPage({ html: '<p>OK', url }).language).toBeNull();
});

const thing = (image: unknown, more: object = {}): string =>
  `<script type="application/ld+json">${JSON.stringify({ '@type': 'Article', image, ...more })}</script>`;
const lead = { url: `${url}lead.jpg`, alt: null, caption: null, width: null, height: null };

test.each([
  ['an address', thing('/lead.jpg'), [lead]],
  ['several', thing(['/lead.jpg', '/wide.jpg']), [lead]],
  [
    'an object with sizes',
    thing({ '@type': 'ImageObject', url: '/lead.jpg', width: 800, height: { value: '600' } }),
    [{ ...lead, width: 800, height: 600 }],
  ],
  ['a link of the page', '<link rel=image_src href=/lead.jpg>', [lead]],
  ['of another page', thing(undefined, { hasPart: { '@type': 'Article', image: '/lead.jpg' } }), []],
  ['of a script', thing('javascript:a'), []],
])('the picture that stands for a page: %s', (_, head, images) => {
  expect(extractPage({ html: `${head}${quarry}`, url }).images).toEqual(images);
});

test('the size of a picture may stand in its style', () => {
  const { images, html } = extractPage({
    html: `${quarry}<p><img src=/a.jpg style="max-width:9px; width:300px;height: 200px">x</p>`,
    url,
    onlyMainContent: false,
  });
  expect(images).toMatchObject([{ width: 300, height: 200 }]);
  expect(html).toContain('width="300" height="200"');
});

test('lists one in the other are told line by line', () => {
  const list =
    '<ul><li>Alpha<ul><li>Beta<ol><li>Gamma</li></ol></li></ul></li><li>Delta</li></ul><ol><li>One<ul><li>Two</li></ul></li></ol>';
  const { text } = extractPage({ html: list, url: 'http://a.example/', onlyMainContent: false });
  expect(text).toBe('Alpha\nBeta\nGamma\nDelta\n\nOne\nTwo');
});

test('a list in a part of an item is a list of its own', () => {
  const list = '<ul><li><div><p>Alpha</p><ul><li>Beta</li></ul></div></li><li>Gamma</li></ul>';
  const { text } = extractPage({ html: list, url: 'http://a.example/', onlyMainContent: false });
  expect(text).toBe('Alpha\n\nBeta\n\nGamma');
});

test.each([
  ['of the page', '<div class=alert-title>Cookies</div>'],
  [
    'below the text of a note',
    '<div class=callout><p>It cuts.</p><div class=callout-title>Cookies</div></div>',
  ],
])('what is called the title of a note %s is none', (_, label) => {
  const page = (markup: string): string =>
    extractPage({
      html: `<main><article><h1>Slate</h1>${`<p>${paragraph}</p>`.repeat(6)}${markup}</article></main>`,
      url: 'http://a.example/docs/slate',
    }).text;
  expect(page(label).includes('Cookies')).toBe(
    page(label.replace(/(?:alert|callout)-title/, 'x')).includes('Cookies'),
  );
});

test('an admonition keeps its title', () => {
  const split =
    '<p>It splits along its layers, as the old hands say, and they have split it all their lives.</p>';
  const { text } = extractPage({
    html: `<main><article><h1>Slate</h1>${split}<div class="theme-admonition alert alert--danger"><div class="admonitionHeading_Gvgb"><span></span>Mind the edge</div><div class="admonitionContent_x"><p>A fresh edge cuts deeper than a knife, and leaves splinters in the hand.</p></div></div>${split}</article></main>`,
    url: 'http://a.example/docs/slate',
  });
  expect(text).toContain('Mind the edge');
});
