import { type CellObject, type Range, SSF, type WorkSheet } from '@e965/xlsx';
import { AppError } from '../../shared/errors.ts';
import { isPlace, cellKey, type SheetLayout } from './workbook-layout.ts';

export const mostRows = 50_000;
export const mostCells = 1_000_000;

export interface Cell {
  text: string;
  /** It is no number, day or the like. */
  isText: boolean;
  /** Where it leads; no place in the workbook itself. */
  url: string | null;
}

export interface Row {
  /** From 0. */
  at: number;
  /** Empty rows before it, without those that are hidden. */
  gap: number;
  /** By their columns, from 0. */
  cells: Map<number, Cell>;
}

/** What a sheet shows: rows and columns that have text. */
export interface Table {
  rows: Row[];
  columns: number[];
  /** How many with text it hides. */
  hiddenRows: number;
  hiddenColumns: number;
}

/** Formats that show another day in another country. */
const localDates: Readonly<Record<string, string>> = {
  'm/d/yy': 'yyyy-mm-dd',
  'm/d/yy h:mm': 'yyyy-mm-dd hh:mm',
};
/** Formats of which the width of the column makes what is seen: they leave digits out. */
const wideFormats: ReadonlySet<unknown> = new Set([undefined, 'General', '@']);

const barePoint = /(?<!\\)\.(?!0)/g;

function formatNumber(value: number, format: string, is1904: boolean): string {
  try {
    return String(SSF.format(format, value, { date1904: is1904 })).trim();
  } catch {
    return String(value);
  }
}

/** What a cell shows; of numbers without a format, all 15 digits that a sheet calculates with. */
function cellText(cell: CellObject | undefined, is1904: boolean): string {
  const { t, v, w, z } = cell ?? {};
  if (t === 'n' && typeof v === 'number') {
    if (wideFormats.has(z)) return String(Number.isInteger(v) ? v : Number(v.toPrecision(15)));
    // The library stops at a point between day and month that is not marked as one.
    const format = localDates[String(z)] ?? (w === undefined ? String(z).replace(barePoint, '\\.') : null);
    if (format !== null) return formatNumber(v, format, is1904);
  }
  return String(w ?? v ?? '').trim();
}

/**
 * The rows and columns that have text. A row says nothing of the size of the table: its one cell may stand far right.
 * @param most cells; beyond them, `target_too_large`.
 */
export function readTable(sheet: WorkSheet, layout: SheetLayout, is1904: boolean, most: number): Table {
  const rows: Row[] = [];
  const columns = new Set<number>();
  let hiddenRows = 0;
  let gap = 0;
  const hiddenColumns = new Set<number>();
  const linkAt = (row: number, column: number): string | null =>
    layout.links.size > 0 ? (layout.links.get(cellKey(row, column)) ?? null) : null;
  for (const [at, line] of ((sheet['!data'] ?? []) as CellObject[][]).slice(0, mostRows).entries()) {
    const cells = new Map<number, Cell>();
    for (const [place, cell] of Object.entries(line ?? [])) {
      const text = cellText(cell, is1904);
      const column = Number(place);
      if (text === '') continue;
      if (layout.hiddenColumns.has(column)) hiddenColumns.add(column);
      else cells.set(column, { text, isText: cell.t === 's', url: urlOf(cell) ?? linkAt(at, column) });
    }
    if (layout.hiddenRows.has(at)) {
      if (cells.size > 0) hiddenRows++;
      continue;
    }
    for (const column of cells.keys()) columns.add(column);
    if (cells.size > 0) rows.push({ at, gap, cells });
    gap = cells.size > 0 ? 0 : gap + 1;
    if (rows.length * columns.size > most) throw tooManyCells();
  }
  const kept = [...columns].sort((a, b) => a - b);
  return { rows, columns: kept, hiddenRows, hiddenColumns: hiddenColumns.size };
}

export function urlOf({ l }: CellObject): string | null {
  return l?.Target === undefined || isPlace(l.Target) ? null : l.Target;
}

/** Titles that a table may have before its head. */
const mostTitles = 3;

/** Whether the row at a place is the head of a table of its own, or a title of one, below at least one empty row. */
function startsTable(rows: readonly Row[], at: number): boolean {
  const gap = rows[at]?.gap ?? 0;
  if (gap === 0) return false;
  let start = at;
  while (start < at + mostTitles && rows[start]?.cells.size === 1) start++;
  const [head, next] = [rows[start], rows[start + 1]];
  if (head === undefined || next === undefined || next.gap > 0 || (start > at && head.gap > 1)) return false;
  const isHead = head.cells.size > 1 && [...head.cells.values()].every(({ isText }) => isText);
  // A table that leaves one row empty goes on, unless it begins anew: words stand where numbers were, and are again.
  const isAnew = [...head.cells.keys()].some((column) => next.cells.get(column)?.isText === false);
  return isHead && next.cells.size > 1 && (gap > 1 || isAnew);
}

/** The tables of a sheet, one below the other. */
export function splitTables(
  { rows, columns }: Table,
  merges: readonly Range[],
): Pick<Table, 'rows' | 'columns'>[] {
  const tall = merges.filter(({ s, e }) => e.r > s.r);
  const tables: Row[][] = [];
  for (const [at, row] of rows.entries()) {
    const last = tables.at(-1);
    // Of one row is what stands above a table, its titles.
    const isApart = (last?.some(({ cells }) => cells.size > 1) ?? true) && (last?.length ?? 2) > 1;
    const isNew = isApart && startsTable(rows, at) && !tall.some(({ s, e }) => s.r < row.at && e.r >= row.at);
    if (last === undefined || isNew) tables.push([row]);
    else last.push(row);
  }
  if (tables.length === 1) return [{ rows, columns }];
  return tables.map((own) => ({
    rows: own,
    columns: columns.filter((column) => own.some(({ cells }) => cells.has(column))),
  }));
}

/** Lines of one cell before a table: they reach over all of it, or an empty row stands below. */
export function countTitles(
  rows: readonly Row[],
  columns: readonly number[],
  merged: ReadonlyMap<string, Range>,
): number {
  let count = 0;
  for (; columns.length > 1 && count < rows.length - 1; count++) {
    const { at, cells } = rows[count] as Row;
    const [column, ...others] = cells.keys();
    if (column === undefined || others.length > 0) break;
    const range = merged.get(cellKey(at, column));
    const isOverAll = column === columns[0] && (range?.e.c ?? column) >= (columns.at(-1) as number);
    if (!isOverAll && (rows[count + 1]?.at ?? 0) === at + 1) break;
  }
  return count;
}

export const tooManyCells = (): AppError =>
  new AppError(
    'target_too_large',
    `The document has more than ${mostCells.toLocaleString('en')} cells. Give the URL of a smaller one.`,
  );
