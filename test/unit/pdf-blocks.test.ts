import { expect, test } from 'vitest';
import { joinLines, toBlocks } from '../../src/workers/documents/pdf-blocks.ts';
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
