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

const list = '<ul><li>Claw hammer<li>Steel wedge</ul>';
const table = '<table><tr><th>Bed<th>Depth<tr><td>Upper<td>80 m</table>';
const caption = '<figcaption>A block</figcaption>';

test.each([
  ['a table in a figure', `<figure>${table}</figure>`, 'Bed Depth Upper 80 m'],
  ['a table with a caption', `<figure>${table}${caption}</figure>`, 'Bed Depth Upper 80 m A block'],
  ['a table in a box that scrolls', `<div class=table-responsive>${table}</div>`, 'Bed Depth Upper 80 m'],
  ['a list in boxes', `<div><div>${list}</div></div>`, 'Claw hammer Steel wedge'],
  ['a list in a section', `<section><h2>Tools</h2>${list}</section>`, 'Tools Claw hammer Steel wedge'],
  ['a heading and a list in a box', `<h2>Tools</h2><div>${list}</div>`, 'Tools Claw hammer Steel wedge'],
  ['a list before a figure', `${list}<figure><img src=/a.png>${caption}</figure>`, 'Claw hammer Steel wedge'],
  ['a list behind a figure', `<figure><img src=/a.png>${caption}</figure>${list}`, 'Claw hammer Steel wedge'],
  [
    'lists and what announces them',
    `<p>You need:</p>${list}<p>Then:</p>${list}`,
    'You need: Claw hammer Steel wedge Then: Claw hammer Steel wedge',
  ],
])('%s between what is kept is kept', (_, part, kept) => {
  expect(keptOf(`<p>K1</p>${part}<p>K2</p>`).join(' ')).toBe(`K1 ${kept} K2`);
});

test.each([
  ['at the end', `<div>${list}</div>`],
  ['beside text that is left out', `<div>${list}</div><p>Share</p><p>K2</p>`],
  ['with other text', `<div><p>Send us your slate.</p>${list}</div><p>K2</p>`],
  ['of links', '<div><ul><li><a href=/a>Claw hammer</a><li><a href=/b>Steel wedge</a></ul></div><p>K2</p>'],
  ['of what is related', `<div class=related>${list}</div><p>K2</p>`],
  ['around what is related', `<div><div class=related>${list}</div></div><p>K2</p>`],
  ['of single words', '<div><ul><li>Print<li>Email</ul></div><p>K2</p>'],
  ['of a picture alone', `<figure><img src=/a.png>${caption}</figure><p>K2</p>`],
  ['that is announced by a line alone', '<p>Read this:</p><p>K2</p>'],
])('a box %s is not', (_, part) => {
  expect(keptOf(`<p>K1</p>${part}`).filter((text) => !text.startsWith('K'))).toEqual([]);
});

test.each([
  ['in a section of its own', '<section><h2>Care</h2><p>K2</p></section>'],
  ['below the title', '<h1>K0</h1><h2>Care</h2><p>K2</p>'],
  ['in a head of its own', '<section><div><h2>Care</h2></div><p>K2</p></section>'],
  ['of a part with a kept heading', '<section><h2>Care</h2><div><h3>K2</h3><p>K3</p></div></section>'],
  ['of a part with another such heading', '<section><h2>Care</h2><h3>Care</h3><p>K3</p></section>'],
  ['above a picture', '<section><h2>Care</h2><figure><img src=/a.png></figure><p>K2</p></section>'],
])('a heading %s is kept', (_, html) => {
  expect(keptOf(html)).toContain('Care');
});

test.each([
  ['above what is left out', '<section><h2>Care</h2><p>Share</p><p>K2</p></section>'],
  ['above another of its level', '<h2>Care</h2><h2>K2</h2><p>K3</p>'],
  ['above one of a higher level', '<h3>Care</h3><h2>K2</h2><p>K3</p>'],
  ['in a section whose text is elsewhere', '<section><h2>Care</h2><p>Share</p></section><p>K2</p>'],
  ['of what is related', '<section class=related><h2>Care</h2><p>K2</p></section>'],
  ['of a link', '<h2><a href=/care>Care</a></h2><p>K2</p>'],
  ['above a link', '<h2>Care</h2><p><a href=/care>K2</a></p>'],
])('a heading %s is not', (_, html) => {
  expect(keptOf(html)).not.toContain('Care');
});

test.each(['Related posts', 'Comments', 'Share this'])('the heading %s is not kept', (name) => {
  expect(keptOf(`<section><h2>${name}</h2><p>K2</p></section>`)).toEqual(['K2']);
});
