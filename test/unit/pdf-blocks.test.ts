import { expect, test } from 'vitest';
import { blocksToHtml, continueList, toBlocks } from '../../src/workers/documents/pdf-blocks.ts';
import { joinLines, mendLigatures } from '../../src/workers/documents/pdf-text.ts';
import { growthOf } from '../support/growth.ts';

const lineOf = (text: string, y: number) => ({
  segments: [{ text, row: { x: 0, right: 400 }, x: 0, right: 400, y, size: 10 }],
  x: 0,
  right: 400,
  y,
  size: 10,
});

test('an entry of a table of contents ends at its number', () => {
  const lines = [lineOf('One . . . . . . . . 12', 100), lineOf('Two ........... 13', 88), lineOf('x', 76)];
  expect(toBlocks(lines, 10).map((block) => 'text' in block && block.text)).toEqual([
    'One . . . . . . . . 12',
    'Two ........... 13',
    'x',
  ]);
});

test('a line of dots costs in proportion', () => {
  const linesOf = (size: number) => [lineOf(`${'. '.repeat(size)}x`, 100), lineOf('goes on', 88)];
  expect(growthOf(linesOf, (lines) => toBlocks(lines, 10), 1_000)).toBeLessThan(1.6);
});

test('a line that ends before the next one had to begin ends its paragraph', () => {
  const line = (text: string, y: number, size = 10) => {
    const right = text.length * 5;
    return { segments: [{ text, row: { x: 0, right }, x: 0, right, y, size }], x: 0, right, y, size };
  };
  const textsOf = (...lines: ReturnType<typeof line>[]) =>
    toBlocks(lines, 10).map((block) => 'text' in block && block.text);
  const long = (text: string) => `${text} goes on to the margin of the page, or nearly so, as`;
  expect(
    textsOf(
      line('A name', 100),
      line(long('The first paragraph'), 88),
      line('it ends.', 76),
      line(long('Another one'), 64),
    ),
  ).toEqual(['A name', `${long('The first paragraph')} it ends.`, long('Another one')]);
  // Beside a picture lines are shorter.
  expect(textsOf(line('Beside a picture', 100), line(long('it still'), 88))).toHaveLength(1);
  expect(textsOf(line('The report', 100, 20), line('On the slate of the north', 76, 20))).toHaveLength(1);
});

test('lines of Chinese and Japanese are joined without a space', () => {
  expect(joinLines(['割られた石は、', '屋根に使う。', 'Slate 石', 'and'])).toBe(
    '割られた石は、屋根に使う。 Slate 石 and',
  );
});

/** A line of cells: what each says and where it begins. */
const rowOf = (y: number, ...cells: [x: number, text: string][]) => {
  const segments = cells.map(([x, text]) => {
    const right = x + text.length * 5;
    return { text, row: { x, right }, x, right, y, size: 10 };
  });
  return { segments, x: cells[0]?.[0] ?? 0, right: segments.at(-1)?.right ?? 0, y, size: 10 };
};

test('the further lines of a cell belong to its row', () => {
  const lines = [
    rowOf(200, [0, 'Item'], [100, 'Count'], [150, 'Remark']),
    rowOf(182, [0, 'Slate'], [100, '3'], [150, 'for the roof']),
    rowOf(170, [150, 'of the house']),
    rowOf(152, [0, 'Lime'], [100, '7'], [150, 'for the yard']),
    rowOf(120, [0, 'That is all that was ordered.']),
  ];
  expect(toBlocks(lines, 10)).toEqual([
    {
      kind: 'table',
      rows: [
        ['Item', 'Count', 'Remark'],
        ['Slate', '3', 'for the roof of the house'],
        ['Lime', '7', 'for the yard'],
      ],
    },
    { kind: 'paragraph', text: 'That is all that was ordered.' },
  ]);
});

test('items that are indented further stand below the one before', () => {
  const lines = [
    rowOf(200, [20, '1. Open the box']),
    rowOf(188, [40, '• remove the paper']),
    rowOf(176, [40, '• keep the screws']),
    rowOf(164, [20, '2. Turn it on']),
    rowOf(140, [0, 'Done.']),
  ];
  expect(blocksToHtml(toBlocks(lines, 10)).replaceAll('\n', '')).toBe(
    '<ol><li>Open the box<ul><li>remove the paper</li><li>keep the screws</li></ul></li><li>Turn it on</li></ol><p>Done.</p>',
  );
});

test('a list that goes on in a column with another left edge stays one', () => {
  const left = toBlocks(
    [rowOf(200, [0, 'Steps.']), rowOf(180, [20, '4. Cut']), rowOf(168, [20, '5. Sand'])],
    10,
  );
  const right = toBlocks(
    [rowOf(200, [320, '6. Oil']), rowOf(188, [320, '7. Dry']), rowOf(170, [300, 'Done.'])],
    10,
  );
  continueList(left, right);
  expect(blocksToHtml([...left, ...right]).replaceAll('\n', '')).toBe(
    '<p>Steps.</p><ol start="4"><li>Cut</li><li>Sand</li><li>Oil</li><li>Dry</li></ol><p>Done.</p>',
  );
});

test('ligatures whose letters have their bytes exchanged are read', () => {
  expect(mendLigatures('speci昀椀cation, di昀昀icult, 昀氀at')).toBe('specification, difficult, flat');
  expect(mendLigatures('昀 and 椀; 天昀椀地')).toBe('昀 and 椀; 天昀椀地');
});
