import { expect, test } from 'vitest';
import extractPage from '../../src/workers/extract/extract-page.ts';
import { readBlocks } from '../../src/workers/extract/blocks.ts';
import { keepNotes } from '../../src/workers/extract/keep-notes.ts';
import { parseTree } from '../../src/workers/extract/parse-tree.ts';
import { convertHtml } from '../../src/workers/markdown/make-markdown.ts';

const url = 'http://site.example/';
const markdownOf = (body: string) =>
  convertHtml(extractPage({ html: body, url, onlyMainContent: false }).html, {
    base: url,
    links: 'inline',
    images: true,
  });

test('items that raised links lead to are notes, whatever they are called', () => {
  expect(
    markdownOf(
      '<p>Text<sup class="fn"><a href="#8f0e-11" id="8f0e-11-link">1</a></sup></p><ol class="wp-block-footnotes"><li id="8f0e-11">Note <a href="#8f0e-11-link">↩︎</a></li></ol>',
    ),
  ).toBe('Text[^1]\n\n[^1]: Note');
});

test('items that other links lead to are items', () => {
  expect(markdownOf('<p><a href="#a">1</a> x<sup>2</sup></p><ol><li id="a">One</li></ol>')).toContain(
    '1. One',
  );
});

test('an item that a raised link leads to stays in its list, where others are no notes', () => {
  expect(
    markdownOf(
      '<p>Text<sup><a href="#r2">2</a></sup> so.</p><ol><li>One</li><li id="r2">Two</li><li>Three</li></ol>',
    ),
  ).toBe(`Text<sup>[2](${url}#r2)</sup> so.\n\n1. One\n2. Two\n3. Three`);
});

test('items without text are no others', () => {
  expect(
    markdownOf('<p>Text<sup><a href="#r1">1</a></sup></p><ol><li> </li><li id="r1">Note</li></ol>'),
  ).toBe('Text[^1]\n\n[^1]: Note');
});

test('links that are not raised keep their words where a raised one leads to the same item', () => {
  expect(
    markdownOf(
      '<p>See<sup><a href="#p1">[1]</a></sup>, see <a href="#p1">First</a>.</p><ul><li id="p1">One</li></ul>',
    ),
  ).toBe(`See[^1], see [First](${url}#p1).\n\n[^1]: One`);
  expect(
    markdownOf(
      '<p>See<a href="#fn1">1</a>, see <sup><a href="#fn1">1</a></sup></p><ol><li id="fn1">One</li></ol>',
    ),
  ).toBe('See[^1], see [^1]\n\n[^1]: One');
});

const text = (reference: string): string => `<p>It is wet${reference} when it is split.</p>`;

test.each([
  [
    'a newsletter',
    `${text('<a id="footnote-anchor-1" href="#footnote-1">1</a>')}<div class="footnote"><a id="footnote-1" href="#footnote-anchor-1">1</a><div><p>As they say.</p></div></div>`,
  ],
  [
    'blocks with an id',
    `${text('<a id="fa-1" href="#n-1">1</a>')}<div id="n-1"><a href="#fa-1">1</a><div><p>As they say.</p></div></div>`,
  ],
  [
    'a word processor',
    `${text('<a href="#_ftn1" name="_ftnref1"><span>[1]</span></a>')}<hr><div id="ftn1"><p><a href="#_ftnref1" name="_ftn1"><span>[1]</span></a> As they say.</p></div>`,
  ],
  [
    'Asciidoctor',
    `${text('<sup>[<a id="_footnoteref_1" href="#_footnotedef_1">1</a>]</sup>')}<div id="footnotes"><hr><div id="_footnotedef_1"><a href="#_footnoteref_1">1</a>. As they say.</div></div>`,
  ],
  [
    'docutils',
    `${text('<a class="brackets" href="#id2" id="id1"><span>[</span>1<span>]</span></a>')}<aside class="footnote-list"><aside id="id2" role="doc-footnote"><span class="label"><span>[</span><a role="doc-backlink" href="#id1">1</a><span>]</span></span><p>As they say.</p></aside></aside>`,
  ],
  [
    'a list of definitions',
    `${text('<sup id="fnref:x"><a href="#fn:x">1</a></sup>')}<dl><dt id="fn:x">1</dt><dd>As they say. <a href="#fnref:x">↩</a></dd></dl>`,
  ],
  [
    'Org',
    `${text('<sup><a id="fnr.1" href="#fn.1" role="doc-backlink">1</a></sup>')}<div><sup><a id="fn.1" href="#fnr.1">1</a></sup> <div><p>As they say.</p></div></div>`,
  ],
  [
    'markdown-it, with a rule',
    `${text('<sup><a href="#fn1" id="fnref1">[1]</a></sup>')}<hr class="footnotes-sep"><section><ol><li id="fn1"><p>As they say. <a href="#fnref1">↩︎</a></p></li></ol></section>`,
  ],
])('notes of %s', (_, body) => {
  expect(markdownOf(body).replace('wet [', 'wet[')).toBe(
    'It is wet[^1] when it is split.\n\n[^1]: As they say.',
  );
});

test('a note may refer to another', () => {
  const note = (n: number, words: string): string =>
    `<div id="n${n}"><a href="#r${n}">${n}</a> ${words}</div>`;
  const reference = (n: number): string => `<sup><a id="r${n}" href="#n${n}">${n}</a></sup>`;
  const made = markdownOf(
    `${text(reference(1))}${note(1, `As they say${reference(2)}`)}${note(2, 'Or did.')}`,
  );
  expect(made).toContain('[^1]: As they say[^2]');
  expect(made).toContain('[^2]: Or did.');
});

test('several notes are items of one list, whose parts stay', () => {
  const note = (n: number): string =>
    `<div id="n${n}"><a href="#r${n}">${n}</a><p>Note ${n}</p><p>More of ${n}</p></div>`;
  const { html } = extractPage({
    html: `${text('<a id="r1" href="#n1">1</a><a id="r2" href="#n2">2</a>')}${note(1)} ${note(2)}<p>End.</p>`,
    url,
    onlyMainContent: false,
  });
  expect(html.match(/<ol>/g)).toHaveLength(1);
  expect(html.replace(/\n/g, '')).toContain(
    '<li id="n2" role="doc-endnote"><p>Note 2</p><p>More of 2</p></li></ol>',
  );
});

test.each([
  [
    'a table of contents',
    '<ul><li><a href="#s1" id="t1">1</a></ul><section id="s1"><h2><a href="#t1">1</a></h2><p>Text</section>',
  ],
  [
    'words',
    '<p><a id="a" href="#b">The first part</a></p><div id="b"><a href="#a">Back</a><p>Text</p></div>',
  ],
  [
    'a section with a table',
    '<p><a id="t2" href="#s2">2</a></p><section id="s2"><p>Slate <a href="#t2">Up</a></p><table><tr><td>a<td>b</table></section>',
  ],
  [
    'a long section',
    `<p><a id="t2" href="#s2">2</a></p><section id="s2">${'<p>Slate is split, never sawn.</p>'.repeat(40)}<a href="#t2">Up</a></section>`,
  ],
  [
    'answers',
    '<p><a id="q1" href="#a1">1</a></p><div id="a1"><h3>Answer 1</h3><p>Slate. <a href="#q1">Back</a></p></div>',
  ],
  [
    'an index of letters',
    '<p><span id="index"><a href="#A">A</a> <a href="#B">B</a></span></p><div id="A"><p>Ash <a href="#index">Index</a></p></div><div id="B"><p>Basalt <a href="#index">Index</a></p></div>',
  ],
  [
    'notes in one box',
    '<p>So<a id="r1" href="#fn1">1</a> and<a id="r2" href="#fn2">2</a></p><div><a id="fn1" href="#r1">1</a> First<br><a id="fn2" href="#r2">2</a> Second</div>',
  ],
  ['a way up', '<p id="top"><a href="#b">1</a></p><div id="b"><p>Text <a href="#top">Up</a></p></div>'],
])('links there and back of %s are no notes', (_, body) => {
  expect(markdownOf(body)).not.toContain('[^');
});

test('what its name says to be a note is one, however long, and with code', () => {
  const long = 'It is wet when it is split, as they say. '.repeat(40);
  const note = (n: number, body: string): string =>
    `<div class="footnote"><a id="footnote-${n}" href="#footnote-anchor-${n}">${n}</a><div>${body}</div></div>`;
  const references = [1, 2, 3].map(
    (n) => `<p>Text ${n}<a id="footnote-anchor-${n}" href="#footnote-${n}">${n}</a> goes on.</p>`,
  );
  const markdown = markdownOf(
    `${references.join('')}${note(1, '<p>Short.</p>')}${note(2, `<p>${long}</p>`)}${note(3, '<pre>split()</pre>')}`,
  );
  for (const n of [1, 2, 3])
    expect(markdown).toMatch(new RegExp(`Text ${n}\\[\\^${n}\\] goes on[^]*\\n\\[\\^${n}\\]: `));
});

const paragraphs = [1, 2, 3]
  .map(
    (n) =>
      `<p>Part ${n}: the block has to be wet when it is split, or the sheets break at the edges, as the old hands of the quarry say.</p>`,
  )
  .join('');
/** The markdown behind the running text of a page whose content is judged. */
const endOf = (reference: string, notes: string): string => {
  const body = `<main><article><h1>How slate is split</h1>${paragraphs}<p>That is all that is known of it, and it is enough for most.${reference}</p>${notes}</article></main><footer>© 2024</footer>`;
  const base = `${url}blog/slate`;
  const { html } = extractPage({ html: body, url: base });
  const markdown = convertHtml(html, { base, links: 'inline', images: true });
  return markdown.split('for most.')[1] ?? '';
};
const reference = (n: number): string => `<sup><a href="#fn-${n}" id="fnref-${n}">${n}</a></sup>`;
const shortNote = (n: number, words: string): string =>
  `<li id="fn-${n}"><p>${words} <a href="#fnref-${n}">↩</a></p></li>`;

test.each([
  [
    'of a section for them',
    (items: string) => `<section data-footnotes><h2 class=sr-only>Footnotes</h2><ol>${items}</ol></section>`,
  ],
  ['by their role', (items: string) => `<div role=doc-endnotes><hr><ol>${items}</ol></div>`],
  ['by their name', (items: string) => `<ol class=wp-block-footnotes>${items}</ol>`],
])('short notes of text that is kept are kept: %s', (_, around) => {
  const items = shortNote(1, 'In July.') + shortNote(2, 'Ibid.');
  expect(endOf(`${reference(1)} ${reference(2)}`, around(items))).toBe(
    '[^1] [^2]\n\n[^1]: In July.\n\n[^2]: Ibid.',
  );
});

/** The notes that are kept where the paragraph before them is picked. */
const keptOf = (from: string, notes: string): string[] => {
  const { blocks, scopes } = readBlocks(parseTree(`<p>It is wet.${from}</p>${notes}`));
  const picked = Uint8Array.from(blocks, (_, at) => (at === 0 ? 1 : 0));
  keepNotes({ blocks, scopes }, picked);
  return blocks.filter((_, at) => at > 0 && picked[at] === 1).map((block) => block.text);
};
const footnotes = (items: string): string => `<div class=footnotes><ol>${items}</ol></div>`;

test('of the notes those that picked text refers to are kept', () => {
  const notes = footnotes(shortNote(1, 'In July.') + shortNote(2, 'Ibid.'));
  expect(keptOf(reference(1), notes)).toEqual(['In July. ↩']);
});

const sources = Array.from({ length: 60 }, (_, n) => shortNote(n, `Hill ${n}.`)).join('');
test.each([
  [
    'that leads elsewhere',
    reference(1),
    footnotes('<li id="fn-1"><p>In July. <a href="#top">↩</a></p></li>'),
  ],
  ['that words refer to', '<a href="#fn-1" id="fnref-1">more of it</a>', footnotes(shortNote(1, 'In July.'))],
  ['that is an item of any list', reference(1), `<ol>${shortNote(1, 'In July.')}</ol>`],
  ['that is one of the sources', reference(1), `<ol class=references>${shortNote(1, 'Hill 1.')}</ol>`],
  ['that is one of many', reference(1), footnotes(sources)],
])('a note %s is not', (_, from, notes) => {
  expect(keptOf(from, notes)).toEqual([]);
});
