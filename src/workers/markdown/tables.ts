import type { Element } from 'domhandler';
import type { Table } from 'mdast';
import { walk } from '../extract/walk.ts';

/** Beyond, a cell is one that asks for all columns, and none is to its right. */
const mostColumns = 100;
export const mostTableColumns = 1_000;
/** Cells that are added to a table, so that its rows are as long as the longest. */
const mostAdded = 500_000;
/** As browsers bound it; 0 asks for all that follow in its part of the table. */
const mostRows = 65_534;

/** How many columns and rows a cell takes. */
export function spanOf({ attribs }: Element): { columns: number; rows: number } {
  const columns = Number.parseInt(attribs['colspan'] ?? '1', 10);
  const rows = Number.parseInt(attribs['rowspan'] ?? '1', 10);
  return {
    columns: columns >= 1 && columns <= mostColumns ? columns : 1,
    rows: rows >= 0 ? Math.min(rows || mostRows, mostRows) : 1,
  };
}

/** A table within a cell that says no more than a cell may. */
const smallTable = { cells: 8, characters: 200 };

function isSmall(table: Element): boolean {
  let [cells, characters] = [0, 0];
  let isPlain = true;
  const hasRoom = (): boolean => isPlain && cells <= smallTable.cells && characters <= smallTable.characters;
  walk(
    table,
    (element) => {
      const { name: tag } = element;
      if (tag === 'td' || tag === 'th') cells++;
      else if (element !== table && (tag === 'table' || /^h[1-3]$/.test(tag))) isPlain = false;
      return hasRoom();
    },
    () => undefined,
    ({ data }) => void (characters += data.trim().length),
  );
  return hasRoom();
}

/** What stands in cells of pages that tables lay out; of text, characters of a cell. */
const blocksOfPages = /^(?:p|ul|ol|dl|pre|form|blockquote|article|section|h[4-6])$/;
const longCell = 300;

/** Whether a table holds data; one that lays out a page is read as what stands in it. */
export function isDataTable(table: Element): boolean {
  if (/^(?:presentation|none)$/i.test(table.attribs['role'] ?? '')) return false;
  let [rows, cells, heads, inner] = [0, 0, 0, 0];
  let characters = 0;
  let isPlain = true;
  walk(
    table,
    (element) => {
      const { name: tag } = element;
      if (tag === 'td' || tag === 'th') characters = 0;
      else if (blocksOfPages.test(tag)) isPlain = false;
      if (tag === 'tr') rows++;
      else if (tag === 'td') cells++;
      else if (tag === 'th') heads++;
      else if (element !== table && (tag === 'table' || /^h[1-3]$/.test(tag))) {
        inner++;
        isPlain &&= tag === 'table' && isSmall(element);
      }
      return tag !== 'table' || element === table;
    },
    () => undefined,
    ({ data }) => {
      characters += data.trim().length;
      if (characters > longCell) isPlain = false;
    },
  );
  const hasFew = isPlain && rows > 1 && inner <= (cells + heads) / 4;
  if (heads > 0) return hasFew || inner <= cells / 4;
  return (inner === 0 || hasFew) && cells > rows && rows > 0;
}

/**
 * Makes all rows as long as the longest; what is past the most columns stands in the last one.
 * @returns the number of rows that hold something.
 */
export function cellsOf(table: Table): number {
  table.children = table.children.filter(({ children }) => children.length > 0);
  let width = 0;
  let cells = 0;
  for (const { children } of table.children) {
    width = Math.max(width, children.length);
    cells += Math.min(children.length, mostTableColumns);
  }
  const mostWide = Math.max(1, Math.floor((cells + mostAdded) / table.children.length));
  width = Math.min(width, mostTableColumns, mostWide);
  for (const { children } of table.children) {
    const last = children[width - 1];
    for (const { children: more } of children.splice(width)) {
      if (more.length === 0) continue;
      last?.children.push({ type: 'text', value: ' ' });
      for (const node of more) last?.children.push(node);
    }
    while (children.length < width) children.push({ type: 'tableCell', children: [] });
  }
  const align = table.align ?? [];
  table.align = Array.from({ length: width }, (_, column) => align[column] ?? null);
  return table.children.length;
}
