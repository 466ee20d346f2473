import { isTag } from 'domhandler';
import type { Block, Scope } from './blocks.ts';
import { isEmptyCell } from './content-html.ts';

/** Within so many elements something stands in another. */
const levels = 6;
const mostLists = 30;

const rowOf = (scope: Scope): Scope | null => enclosing(scope, 'tr');
const cellOf = (scope: Scope): Scope | null => enclosing(scope, 'td') ?? enclosing(scope, 'th');

const isList = ({ tag }: Scope): boolean => tag === 'ul' || tag === 'ol';

/** The list around it, or the outermost of those of which each is a child of the other's item. */
function listOf(scope: Scope): Scope | null {
  let list: Scope | null = scope;
  for (let n = 0; list !== null && !isList(list); n++) list = n < levels - 1 ? list.parent : null;
  for (let n = 0; list !== null && n < mostLists; n++) {
    const item: Scope | null = list.parent;
    if (item?.tag !== 'li' || item.element !== list.element.parent) break;
    if (item.parent === null || !isList(item.parent)) break;
    list = item.parent;
  }
  return list;
}

function enclosing(scope: Scope, tag: string): Scope | null {
  for (let up: Scope | null = scope, n = 0; up !== null && n < levels; up = up.parent, n++) {
    if (up.tag === tag) return up;
  }
  return null;
}

/** Blocks as plain text: a tab between the cells of a row, a line an item and a part of a cell, an empty line between paragraphs. */
export function joinBlocks(blocks: readonly Block[]): string {
  const out: string[] = [];
  let last: Block | null = null;
  for (const block of blocks) {
    if (last !== null) out.push(between(last.scope, block.scope));
    out.push(block.text);
    last = block;
  }
  return out.join('').toWellFormed();
}

function between(a: Scope, b: Scope): string {
  const row = rowOf(b);
  if (row !== null && rowOf(a) === row) {
    const [before, cell] = [cellOf(a), cellOf(b)];
    return before === cell ? '\n' : '\t'.repeat(1 + emptyCells(before, cell));
  }
  const table = enclosing(b, 'table');
  if (table !== null && enclosing(a, 'table') === table) return '\n';
  const list = listOf(b);
  return list !== null && listOf(a) === list ? '\n' : '\n\n';
}

/** How many empty cells stand between two of a row: they keep the places of their columns. */
function emptyCells(a: Scope | null, b: Scope | null): number {
  if (a === null || b === null || a === b || a.element.parent !== b.element.parent) return 0;
  let count = 0;
  for (let next = a.element.next; next !== null; next = next.next) {
    if (next === b.element) break;
    if (isTag(next) && isEmptyCell(next)) count++;
  }
  return count;
}

const words = /[\p{L}\p{N}_][\p{L}\p{N}\p{M}_'’-]*/gu;
/** Scripts without spaces: about two characters a word. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu;

export function countWords(text: string): number {
  const dense = text.match(unspaced)?.length ?? 0;
  const rest = dense === 0 ? text : text.replace(unspaced, ' ');
  return (rest.match(words)?.length ?? 0) + Math.ceil(dense / 2);
}
