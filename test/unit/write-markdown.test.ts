import fc from 'fast-check';
import type { Nodes, PhrasingContent, Root } from 'mdast';
import { gfmToMarkdown } from 'mdast-util-gfm';
import { mathToMarkdown } from 'mdast-util-math';
import { type Options, toMarkdown } from 'mdast-util-to-markdown';
import { expect, test } from 'vitest';
import { hasMath } from '../../src/workers/markdown/has-math.ts';
import { tagMarks } from '../../src/workers/markdown/tag-marks.ts';
import { writeMarkdown } from '../../src/workers/markdown/write-markdown.ts';

const gfm = gfmToMarkdown({ tablePipeAlign: false });
const plain: Options = {
  bullet: '-',
  bulletOther: '*',
  listItemIndent: 'one',
  rule: '-',
  resourceLink: true,
  extensions: [gfm],
};
const withMath: Options = { ...plain, extensions: [gfm, mathToMarkdown()] };

const words =
  'word 1. v1. www.a http: //b a@b.c 5) é. “q” 日本 😀 ( ) — a_b &amp; <b> \\ \\\\ \u00a0 x'.split(/ /);
const piece = fc.constantFrom(...words, ...' *_~`[]!<>#&|$-+=.:\n\t^"\'', ' ', '**', '~~', '');
const text = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(''));
const of = <Type extends string>(...types: Type[]) => fc.constantFrom(...types);

const { line } = fc.letrec<{ line: PhrasingContent[]; part: PhrasingContent }>((tie) => ({
  line: fc.array(tie('part'), { maxLength: 5, depthIdentifier: 'line' }),
  part: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'line' },
    { weight: 6, arbitrary: fc.record({ type: of('text', 'text', 'text', 'inlineCode'), value: text }) },
    { weight: 1, arbitrary: fc.record({ type: of('break') }) },
    { weight: 1, arbitrary: fc.record({ type: of('html'), value: of('<br>', '</sub>', '<!-- x -->') }) },
    { weight: 1, arbitrary: fc.record({ type: of('image'), url: text, alt: text, title: fc.option(text) }) },
    { weight: 1, arbitrary: fc.record({ type: of('footnoteReference'), identifier: of('1') }) },
    { weight: 1, arbitrary: fc.record({ type: of('inlineMath'), value: text }) },
    {
      weight: 3,
      arbitrary: fc.record({ type: of('emphasis', 'strong', 'delete'), children: tie('line') }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        type: of('link'),
        url: text,
        title: fc.option(text),
        children: tie('line') as fc.Arbitrary<never[]>,
      }),
    },
  ) as fc.Arbitrary<PhrasingContent>,
}));
const paragraph = fc.record({ type: of('paragraph'), children: line });
const cell = fc.record({ type: of('tableCell'), children: line });
const row = fc.record({ type: of('tableRow'), children: fc.array(cell, { minLength: 2, maxLength: 2 }) });
const item = fc.record({
  type: of('listItem'),
  spread: fc.boolean(),
  children: fc.array(paragraph, { maxLength: 2 }),
});
const block = fc.oneof(
  paragraph,
  fc.record({ type: of('heading'), depth: fc.constantFrom(1, 2, 3), children: line }),
  fc.record({ type: of('table'), children: fc.array(row, { minLength: 1, maxLength: 2 }) }),
  fc.record({ type: of('list'), ordered: fc.boolean(), children: fc.array(item, { maxLength: 2 }) }),
);

const tree = fc.record({
  type: of('root'),
  children: fc.array(block as fc.Arbitrary<Nodes>, { minLength: 1, maxLength: 2 }),
}) as fc.Arbitrary<Root>;

test('what is written quickly is what the library writes', () => {
  fc.assert(
    fc.property(tree, (root) => {
      const isMath = hasMath(root);
      expect(writeMarkdown(root, isMath)).toBe(toMarkdown(root, isMath ? withMath : plain));
    }),
    { numRuns: 500 },
  );
});

test('no letter is written as a numeric reference', () => {
  fc.assert(
    fc.property(tree, (root) => {
      fc.pre(!/"(?:value|children)":(?:""|\[\])/.test(JSON.stringify(root)));
      const markdown = writeMarkdown(tagMarks(root), hasMath(root));
      for (const [, code = ''] of markdown.matchAll(/(?<!\\\\)&#x([\dA-F]+);/g))
        expect(String.fromCodePoint(Number.parseInt(code, 16))).not.toMatch(/[\p{L}\p{N}]/u);
    }),
    { numRuns: 500 },
  );
});
