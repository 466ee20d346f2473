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
