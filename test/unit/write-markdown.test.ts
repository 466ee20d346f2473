import type { PhrasingContent, Root } from 'mdast';
import { gfmToMarkdown } from 'mdast-util-gfm';
import { type Options, toMarkdown } from 'mdast-util-to-markdown';
import { expect, test } from 'vitest';
import { writeMarkdown } from '../../src/workers/markdown/write-markdown.ts';

const options: Options = {
  bullet: '-',
  bulletOther: '*',
  listItemIndent: 'one',
  rule: '-',
  resourceLink: true,
  extensions: [gfmToMarkdown({ tablePipeAlign: false })],
};

const texts = [
  'word',
  ' and ',
  '1. x',
  'v1.',
  'www.a',
  'http:',
  '//b',
  '- a',
  '+1',
  '= b',
  '(c)',
  'end!',
  ': d',
];
texts.push(
  'é.',
  '“q”',
  "it's 5%",
  'a-b;c',
  ' ',
  'x  ',
  '\ty',
  'two\nlines',
  '1) z',
  '日本',
  '#h',
  'a_b',
  'c*d',
  'a&b;',
);

test('a text without anything to escape is written as the library writes it', () => {
  const wrap = (value: string): PhrasingContent[] => [
    { type: 'text', value },
    { type: 'emphasis', children: [{ type: 'text', value }] },
    { type: 'link', url: 'http://a.example/', children: [{ type: 'text', value }] },
  ];
  for (const first of texts) {
    for (const second of texts) {
      for (const [at, middle] of wrap(second).entries()) {
        const children = [{ type: 'text' as const, value: first }, middle, ...wrap(first).slice(at, at + 1)];
        const root: Root = {
          type: 'root',
          children: [
            { type: 'paragraph', children },
            { type: 'heading', depth: 2, children },
          ],
        };
        expect(writeMarkdown(structuredClone(root), false)).toBe(toMarkdown(structuredClone(root), options));
      }
    }
  }
});
