import type { Block, PageBlocks, Scope } from './blocks.ts';

const leastRows = 2;
/** Of its cells: so many picked, and the table is content. */
const pickedShare = 0.4;

/** A table of data is content whole or not at all: a row that is left out makes the others wrong. */
export function keepTablesWhole({ blocks, scopes }: PageBlocks, picked: Uint8Array): void {
  const rows = new Map<Scope, number>();
  const layouts = new Set<Scope>();
  for (const scope of scopes) {
    const table =
      scope.tag === 'tr' || scope.tag === 'table' || /^h[1-3]$/.test(scope.tag) ? tableOf(scope) : null;
    if (table === null) continue;
    if (scope.tag === 'tr') rows.set(table, (rows.get(table) ?? 0) + 1);
    else layouts.add(table);
  }
  for (const [table, count] of rows) {
    if (count < leastRows || layouts.has(table)) continue;
    keepWhole(blocks, picked, table);
  }
}

function tableOf({ parent }: Scope): Scope | null {
  for (let up = parent; up !== null; up = up.parent) if (up.tag === 'table') return up;
  return null;
}

function keepWhole(blocks: readonly Block[], picked: Uint8Array, { first, end }: Scope): void {
  let [cells, taken] = [0, 0];
  for (let i = first; i < end; i++) {
    if (blocks[i]?.text === '') continue;
    cells++;
    taken += picked[i] ?? 0;
  }
  if (cells === 0) return;
  const isAmidst = picked[first - 1] === 1 && picked[end] === 1;
  picked.fill(taken / cells >= pickedShare || (isAmidst && taken > 0) ? 1 : 0, first, end);
}
