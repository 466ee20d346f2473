import { expect, test } from 'vitest';
import { toBlocks } from '../../src/workers/documents/pdf-blocks.ts';
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
