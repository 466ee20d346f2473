import { expect, test } from 'vitest';
import { readBlocks } from '../../src/workers/extract/blocks.ts';
import { keepParts } from '../../src/workers/extract/keep-parts.ts';
import { parseTree } from '../../src/workers/extract/parse-tree.ts';

/** The lines that are kept where those that begin with a capital K are picked. */
function keptOf(html: string): string[] {
  const page = readBlocks(parseTree(`<main>${html}</main>`));
  const picked = Uint8Array.from(page.blocks, ({ text }) => (text.startsWith('K') ? 1 : 0));
  keepParts(
    page,
    page.blocks.map(() => false),
    picked,
  );
  return page.blocks.filter((_, at) => picked[at] === 1).map(({ text }) => text);
}
const note = (text: string, name = 'admonition note'): string =>
  `<div class="${name}"><p>Note</p><p>${text}</p></div>`;

test.each(['admonition note', 'markdown-alert', 'callout'])(
  'a note between what is kept is kept whole: %s',
  (name) => {
    expect(keptOf(`<p>K1</p>${note('Needs slate.', name)}<p>K2</p>`)).toEqual([
      'K1',
      'Note',
      'Needs slate.',
      'K2',
    ]);
  },
);

test.each([
  ['at the end', `<p>K1</p>${note('Write to us.')}`],
  ['before what is left out', `<p>K1</p>${note('Write to us.')}<p>Share</p>`],
  ['with a button', `<p>K1</p>${note('Our letters. <button>Subscribe</button>', 'callout')}<p>K2</p>`],
  ['of links', `<p>K1</p>${note('<a href=/a>Read of clay as well</a>', 'callout')}<p>K2</p>`],
  ['of another kind', `<p>K1</p>${note('Write to us.', 'box')}<p>K2</p>`],
])('a note %s is not', (_, html) => {
  expect(keptOf(html).filter((text) => !text.startsWith('K'))).toEqual([]);
});

test('of an accordion of which half is kept, the rest is', () => {
  const part = (name: string, text: string): string =>
    `<details><summary>${name}</summary><p>${text}</p></details>`;
  expect(keptOf(part('Stone', 'Slate') + part('K1', 'K2'))).toEqual(['Stone', 'Slate', 'K1', 'K2']);
  expect(keptOf(part('Share', 'Here') + part('Stone', 'Slate') + part('K1', 'K2'))).toEqual(['K1', 'K2']);
  expect(keptOf(part('Links', '<a href=/a>To another page</a>') + part('K1', 'K2'))).toEqual(['K1', 'K2']);
});
