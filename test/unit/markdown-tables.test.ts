import { expect, test } from 'vitest';
import makeMarkdown from '../../src/workers/markdown/make-markdown.ts';

const markdownOf = (html: string) =>
  makeMarkdown({ html, base: null, links: 'inline', images: true, frontMatter: {}, maxTokens: null })
    .markdown;

test('bars of formulas end no cell', () => {
  const tex = String.raw`\|x\| + |y| \\| z`;
  const html = `<table><tr><th>A<th>B<tr><td><code class="math">${tex}</code><td>b</table>`;
  expect(markdownOf(html)).toContain(String.raw`| $\Vert x\Vert  + \|y\| \\\| z$ | b`);
});

test.each([
  ['without heads', '<tr><td>A<td>B<tr><td>1<td>', '| A | B |\n| - | - |\n| 1 | x<br>y |'],
  ['with heads', '<tr><th>A<th>B<tr><td>1<td>', '| A | B |\n| - | - |\n| 1 | x<br>y |'],
])('a small table in a cell is the text of that cell: %s', (_what, rows, markdown) => {
  expect(markdownOf(`<table>${rows}<table><tr><td>x<td>y</table></table>`)).toBe(markdown);
});

test('a table that lays out others is none', () => {
  const small = '<table><tr><td>x<td>y</table>';
  const large = `<table>${'<tr><td>x<td>a longer text of the page'.repeat(9)}</table>`;
  for (const rows of [
    `<tr><td>${small}<td>${small}<tr><td>a<td>b`,
    `<tr><td>a<td>${small}`,
    `<tr><td>a<td>b<tr><td>c<td>${large}`,
    `<tr><td>a<td>b<tr><td>c<td><table><tr><td>x<td>${small}</table>`,
    `<tr><td>a<td>b<tr><td>c<td><table><tr><td><h2>d</h2><td>e</table>`,
    `<tr><td>a<td>${small}<tr><td>menu<td><b>Slate</b><p>It is split.<p>It is old.`,
    `<tr><td>a<td>b<td>${small}<tr><td>menu<td>${'It is split. '.repeat(40)}<td>c<tr><td colspan=3>foot`,
    `<tr><th>a<td>${small}<tr><td>menu<td><ul><li>One<li>Two</ul>`,
  ])
    expect(markdownOf(`<table>${rows}</table>`)).not.toMatch(/^\| a \|/m);
});

test('a foot may have any number of rows', () => {
  const rows = 130_000;
  const made = markdownOf(`<table><tfoot>${'<tr><td>a'.repeat(rows)}</tfoot><tr><th>A</table>`).split('\n');
  expect(made).toHaveLength(rows + 2);
  expect(made[0]).toContain('A');
});

test('cells that reach over all rows and columns are bounded', () => {
  const made = markdownOf(
    `<table>${'<tr><td rowspan=0 colspan=100>x'.repeat(20)}${'<tr><td>y'.repeat(10_000)}</table>`,
  );
  expect(made.match(/y/g)).toHaveLength(10_000);
  expect(made.length).toBeLessThan(20_000_000);
});

test('what stands in columns past the most is in the last one', () => {
  const made = markdownOf(`<table><tr>${'<td>x'.repeat(1_500)}${'<tr><td>y<td>z'.repeat(10_000)}</table>`);
  expect(made.match(/x/g)).toHaveLength(1_500);
  expect(made.match(/z/g)).toHaveLength(10_000);
  expect(made.length).toBeLessThan(20_000_000);
});
