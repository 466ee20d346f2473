import { expect, test } from 'vitest';
import { readBlocks } from '../../src/workers/extract/blocks.ts';
import { leaveOutDangling } from '../../src/workers/extract/leave-out-dangling.ts';
import { parseTree } from '../../src/workers/extract/parse-tree.ts';

/** What is left of these lines, of which those in a class `out` are not picked. */
function leftOf(html: string): string[] {
  const page = readBlocks(parseTree(`<main>${html}</main>`));
  const isPicked = ({ scope }: (typeof page.blocks)[number]): boolean => {
    for (let up: typeof scope | null = scope; up !== null; up = up.parent)
      if (up.element.attribs['class'] === 'out') return false;
    return true;
  };
  const picked = Uint8Array.from(page.blocks, (block) => (isPicked(block) ? 1 : 0));
  leaveOutDangling(page, picked);
  return page.blocks.filter(({ text }, at) => picked[at] === 1 && text !== '').map(({ text }) => text);
}
const text = '<h2>Slate</h2><p>It splits.</p>';

test.each([
  ['comments', `${text}<div><h3>12 thoughts on slate</h3><ol class=out><li>So it does.</ol></div>`],
  ['other pages', `${text}<h3>Other events</h3><div class=out><a href=/e>Clay</a> Aug 2</div>`],
  [
    'a part of a part',
    `${text}<section><h2>Discussion</h2><h3>12 thoughts</h3><p class=out>So it does.</section>`,
  ],
])('a heading of %s that are left out goes with them', (_, html) => {
  expect(leftOf(html)).toEqual(['Slate', 'It splits.']);
});

test.each([
  ['that nothing follows', `${text}<h3>The end</h3>`, 'The end'],
  ['whose text is kept', `${text}<h3>Care</h3><p>Keep it dry.</p><p class=out>Share</p>`, 'Keep it dry.'],
  ['that ends its element', `${text}<div><h3>The end</h3></div><p class=out>Share</p>`, 'The end'],
  ['of an entry, which is a link', `${text}<h3><a href=/c>Clay</a></h3><p class=out>Aug 2</p>`, 'Clay'],
  ['above a picture', `${text}<h3>Clay</h3><p><img src=/c.png></p><p class=out>Share</p>`, 'Clay'],
  [
    'among others',
    `<p>Events</p><h3>Clay</h3><p class=out>Aug 2</p><h3>Slate</h3><p class=out>Aug 3</p><h3>Sand</h3><p class=out>Aug 4</p>`,
    'Sand',
  ],
])('a heading %s stays', (_, html, kept) => {
  expect(leftOf(html).at(-1)).toMatch(kept);
});
