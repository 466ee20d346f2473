import { expect, test } from 'vitest';
import { tokensOf } from '../../src/shared/tokens.ts';
import { parseTree } from '../../src/workers/extract/parse-tree.ts';
import { buildMdast } from '../../src/workers/markdown/build-mdast.ts';
import { cutMarkdown } from '../../src/workers/markdown/cut-markdown.ts';
import makeMarkdown from '../../src/workers/markdown/make-markdown.ts';
import { writeMarkdown } from '../../src/workers/markdown/write-markdown.ts';
import { growthOf } from '../support/growth.ts';

const cut = (html: string, maxTokens: number, links: 'inline' | 'referenced' = 'inline') =>
  makeMarkdown({ html, base: null, links, images: true, frontMatter: {}, maxTokens });
const times = (count: number, of: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => of(at)).join('');

test.each([
  ['a paragraph', '<p>One two.</p><p>Three four.</p><p>Five six.</p>', 'One two.\n\nThree four.'],
  ['an item', `<p>All:</p><ul>${times(50, (at) => `<li>no. ${at}</li>`)}</ul>`, 'All:\n\n- no. 0\n- no. 1'],
  [
    'an item within an item',
    `<ol start="7"><li>a<ul>${times(50, (at) => `<li>no. ${at}</li>`)}</ul></li><li>b</li></ol>`,
    '7. a\n   - no. 0\n   - no. 1',
  ],
  [
    'a row',
    `<table><tr><th>A</th><th>B</th></tr>${times(50, (at) => `<tr><td>a</td><td>${at}</td></tr>`)}</table>`,
    '| A | B |\n| - | - |\n| a | 0 |\n| a | 1 |',
  ],
  [
    'a paragraph of a quote',
    `<p>He said:</p><blockquote>${times(9, (at) => `<p>Word no. ${at}.</p>`)}</blockquote>`,
    'He said:\n\n> Word no. 0.',
  ],
  [
    'a text, not the headings of the next',
    `<p>One.</p><h2>A</h2><h3>B</h3><p>${'word '.repeat(50)}</p>`,
    'One.',
  ],
  [
    'a heading, where no text stands before',
    `<h2>A</h2><h3>B</h3><p>${'word '.repeat(50)}</p>`,
    '## A\n\n### B',
  ],
  ['code, which stays whole', `<p>So:</p><pre>${times(50, (at) => `a${at}\n`)}</pre>`, 'So:'],
  [
    'a line of code, where nothing stands before',
    `<pre>${times(50, (at) => `a${at}\n`)}</pre>`,
    '```\na0\na1\n```',
  ],
  [
    'a word of the first paragraph',
    '<p>One <b>two <a href="/x">three four</a></b></p>',
    'One **two [three](/x)**',
  ],
  [
    'a head without a row',
    '<p>So:</p><table><tr><th>A</th><th>B</th></tr><tr><td>a b c</td><td>d</td></tr></table>',
    'So:',
  ],
  [
    'what is folded away',
    `<details><summary>S</summary>${times(9, (at) => `<p>Word no. ${at}.</p>`)}</details>`,
    '<details>\n\n<summary>S</summary>\n\nWord no. 0.\n\n</details>',
  ],
  [
    'an image that is too long',
    `<p><img src="/${'石'.repeat(120)}.png" alt="A"></p><p>One two.</p><p>${'word '.repeat(99)}</p>`,
    'One two.',
  ],
  ['text without spaces', `<p>${'石'.repeat(500)}</p>`, '石'.repeat(40)],
])('markdown ends behind %s', (_, html, markdown) => {
  const maxTokens = tokensOf(markdown);
  const made = cut(html, maxTokens);
  expect(made.markdown).toBe(markdown);
  expect(made.truncated).toBe(true);
  expect(made.tokens).toBe(maxTokens);
});

test('what is kept brings the addresses and notes that it refers to, and no others', () => {
  const html =
    '<ul><li><a href="/a">one</a></li><li><a href="/b">two</a></li><li><a href="/c">three</a></li></ul>';
  expect(cut(html, 24, 'referenced').markdown).toBe('- [one][1]\n- [two][2]\n\n[1]: /a\n\n[2]: /b');
  const noted =
    '<p>A<sup><a href="#fn1">1</a></sup></p><p>B<sup><a href="#fn2">2</a></sup> and more</p><ol><li id="fn1">One</li><li id="fn2">Two</li></ol>';
  expect(cut(noted, 14).markdown).toBe('A[^1]\n\n[^1]: One');
});

test('white space that is not collapsed costs in proportion', () => {
  const spaces = (size: number) => `<p>${'\u00a0'.repeat(size)}x</p>`;
  expect(growthOf(spaces, (html) => cut(html, 300), 5_000)).toBeLessThan(1.6);
});

test('a short beginning of a long page costs what the page does', () => {
  const rows = (size: number) =>
    `<table><tr><th>A</th><th>B</th></tr>${times(size, (at) => `<tr><td>${at}</td><td>b</td></tr>`)}</table>`;
  expect(growthOf(rows, (html) => cut(html, 1_000), 1_000)).toBeLessThan(1.6);
});

test('a beginning that stands deep is written as seldom as one that does not', () => {
  const writingsOf = (depth: number): number => {
    const list = `<ul>${times(3_000, (at) => `<li>no. ${at}</li>`)}</ul>`;
    const root = buildMdast(parseTree('<ul><li>'.repeat(depth) + list), {
      base: null,
      links: 'inline',
      images: true,
    });
    let count = 0;
    cutMarkdown(root, 1_000, (part) => {
      count++;
      return tokensOf(writeMarkdown(part, false)) <= 1_000;
    });
    return count;
  };
  expect(writingsOf(28)).toBeLessThanOrEqual(writingsOf(1) + 2);
});
