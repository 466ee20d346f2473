import type { Block, PageBlocks, Scope } from './blocks.ts';

const leastRows = 2;
/** Of its cells: so many picked, and the table is content; or so many of its words, where the other cells are numbers. */
const pickedShare = 0.4;
const pickedWords = 0.5;
/** A cell with more words is part of a layout: a post, an article, a column of the page. */
const mostCellWords = 60;

interface Shape {
  rows: number;
  cells: number;
  isLayout: boolean;
}

/** A table of data is content whole or not at all: a row that is left out makes the others wrong. */
export function keepTablesWhole(
  { blocks, scopes }: PageBlocks,
  words: readonly number[],
  picked: Uint8Array,
): void {
  const before = [0];
  for (const [i, count] of words.entries()) before.push((before[i] ?? 0) + count);
  const shapes = new Map<Scope, Shape>();
  for (const scope of scopes) {
    const isCell = scope.tag === 'td' || scope.tag === 'th';
    const isHeading = /^h[1-3]$/.test(scope.tag);
    const table = isCell || isHeading || scope.tag === 'tr' || scope.tag === 'table' ? tableOf(scope) : null;
    if (table === null) continue;
    const shape = shapes.get(table) ?? { rows: 0, cells: 0, isLayout: false };
    shapes.set(table, shape);
    if (scope.tag === 'tr') shape.rows++;
    else if (isCell) {
      shape.cells++;
      if ((before[scope.end] ?? 0) - (before[scope.first] ?? 0) > mostCellWords) shape.isLayout = true;
    } else shape.isLayout = true;
  }
  for (const [table, { rows, cells, isLayout }] of shapes) {
    if (rows >= leastRows && cells > rows && !isLayout) keepWhole(blocks, words, picked, table);
  }
}

function tableOf({ parent }: Scope): Scope | null {
  for (let up = parent; up !== null; up = up.parent) if (up.tag === 'table') return up;
  return null;
}

function keepWhole(
  blocks: readonly Block[],
  words: readonly number[],
  picked: Uint8Array,
  { first, end }: Scope,
): void {
  let [cells, taken, all, told] = [0, 0, 0, 0];
  for (let i = first; i < end; i++) {
    if (blocks[i]?.text === '') continue;
    cells++;
    all += words[i] ?? 0;
    if (picked[i] !== 1) continue;
    taken++;
    told += words[i] ?? 0;
  }
  if (cells === 0) return;
  const isAmidst = picked[first - 1] === 1 && picked[end] === 1;
  const isMost = taken >= pickedShare * cells || told >= pickedWords * all;
  picked.fill(taken > 0 && (isMost || isAmidst) ? 1 : 0, first, end);
}
