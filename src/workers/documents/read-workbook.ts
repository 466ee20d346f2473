import { type CellObject, type Range, read, SSF, utils, type WorkBook, type WorkSheet } from '@e965/xlsx';
import { AppError } from '../../shared/errors.ts';
import type { Warning } from '../../shared/schemas/job.ts';
import { isExhaustion } from '../../shared/tasks/exhaustion.ts';
import { escapeText, escapeValue } from '../extract/content-html.ts';
import { bareContent, type DocumentContent } from './document-content.ts';
import { readProperties, unreadable } from './office-file.ts';
import { createLayoutReader, isPlace, mostColumns, placeOf, type SheetLayout } from './workbook-layout.ts';
import { checkZip } from './zip.ts';

const mostRows = 50_000;
const mostCells = 1_000_000;

interface Cell {
  text: string;
  /** It is no number, day or the like. */
  isText: boolean;
  /** Where it leads; no place in the workbook itself. */
  url: string | null;
}

interface Row {
  /** From 0. */
  at: number;
  /** Empty rows before it, without those that are hidden. */
  gap: number;
  /** By their columns, from 0. */
  cells: Map<number, Cell>;
}

/** What a sheet shows: rows and columns that have text. */
interface Table {
  rows: Row[];
  columns: number[];
  /** How many with text it hides. */
  hiddenRows: number;
  hiddenColumns: number;
}

/**
 * A workbook: a heading and a table a sheet, without what it hides.
 * @throws AppError `unsupported_content`, `target_too_large`.
 */
export function readWorkbook(file: Buffer): DocumentContent {
  const entries = checkZip(file);
  const parts: string[] = [];
  const content = { ...bareContent(''), ...readProperties(file, entries) };
  const hidden: string[] = [];
  try {
    const book = read(file, { ...readOptions, sheetRows: mostRows + 1 });
    const layoutOf = createLayoutReader(file, entries);
    const is1904 = book.Workbook?.WBProps?.date1904 === true;
    let whole: WorkBook | undefined;
    const readWhole = () => (whole ??= read(file, readOptions));
    let cells = 0;
    for (const [index, name] of book.SheetNames.entries()) {
      const sheet = book.Sheets[name];
      if (sheet === undefined) continue;
      if ((book.Workbook?.Sheets?.[index]?.Hidden ?? 0) > 0) {
        if (sheet['!ref'] !== undefined) hidden.push(`the sheet ${quote(name)}`);
        continue;
      }
      if (goesOn(sheet, () => readWhole().Sheets[name])) content.warnings.push(cutRows(name));
      const layout = layoutOf(index);
      const merges = showMerges(sheet, layout);
      const table = readTable(sheet, layout, is1904, mostCells - cells);
      cells += table.rows.length * table.columns.length;
      hidden.push(...tellHidden(table, name));
      if (table.rows.length > 0) parts.push(`<h2>${escapeText(name)}</h2>`);
      parts.push(...splitTables(table, merges).map((one) => tableToHtml(one, merges)));
    }
  } catch (error) {
    if (error instanceof AppError || isExhaustion(error)) throw error;
    throw unreadable('workbook', error);
  }
  if (hidden.length > 0) content.warnings.push(hiddenParts(hidden));
  return { ...content, html: parts.join('\n') };
}

const readOptions = {
  type: 'buffer',
  dense: true,
  cellFormula: false,
  cellHTML: false,
  cellNF: true,
} as const;

/** Whether a sheet has cells beyond the rows that are read: what it says of its size is often more than it has. */
function goesOn(sheet: WorkSheet, readWhole: () => WorkSheet | undefined): boolean {
  const hasMore = (one: WorkSheet | undefined): boolean =>
    (one?.['!data'] ?? []).slice(mostRows).some((row) => row.some(({ v }) => v !== undefined));
  const said = utils.decode_range(sheet['!fullref'] ?? sheet['!ref'] ?? 'A1').e.r;
  return hasMore(sheet) || (said > mostRows && hasMore(readWhole()));
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

/** Of each place, the first from there on that is not hidden. */
function nextShown(hidden: ReadonlySet<number>, size: number): (at: number) => number {
  const next = new Uint32Array(size + 1).fill(size);
  for (let at = size - 1; at >= 0; at--) next[at] = hidden.has(at) ? (next[at + 1] ?? size) : at;
  return (at) => next[at] ?? size;
}

/** Sheets show the text of a merged cell in what of it is not hidden: moves it there. @returns what is merged then. */
function showMerges(sheet: WorkSheet, { hiddenRows, hiddenColumns, links }: SheetLayout): Range[] {
  const merges = sheet['!merges'] ?? [];
  const data = (sheet['!data'] ?? []) as CellObject[][];
  if (hiddenRows.size + hiddenColumns.size === 0) return merges;
  const shownRow = nextShown(hiddenRows, mostRows);
  const shownColumn = nextShown(hiddenColumns, mostColumns);
  return merges.map(({ s, e }) => {
    const to = { r: shownRow(s.r), c: shownColumn(s.c) };
    const cell = data[s.r]?.[s.c];
    const isMoved = to.r !== s.r || to.c !== s.c;
    if (cell === undefined || !isMoved || to.r > e.r || to.c > e.c || to.r >= mostRows) return { s, e };
    const url = urlOf(cell) ?? links.get(placeOf(s.r, s.c));
    (data[to.r] ??= [])[to.c] = url === undefined ? cell : { ...cell, l: { Target: url } };
    delete data[s.r]?.[s.c];
    return { s: to, e };
  });
}

/**
 * The rows and columns that have text. A row says nothing of the size of the table: its one cell may stand far right.
 * @param most cells; beyond them, `target_too_large`.
 */
function readTable(sheet: WorkSheet, layout: SheetLayout, is1904: boolean, most: number): Table {
  const rows: Row[] = [];
  const columns = new Set<number>();
  let hiddenRows = 0;
  let gap = 0;
  const hiddenColumns = new Set<number>();
  const linkAt = (row: number, column: number): string | null =>
    layout.links.size > 0 ? (layout.links.get(placeOf(row, column)) ?? null) : null;
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

function urlOf({ l }: CellObject): string | null {
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
function splitTables({ rows, columns }: Table, merges: readonly Range[]): Pick<Table, 'rows' | 'columns'>[] {
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

/** A table below the titles of its sheet; the first row that is none is its head. */
function tableToHtml(
  { rows: all, columns }: Pick<Table, 'rows' | 'columns'>,
  merges: readonly Range[],
): string {
  const merged = new Map(merges.map((range) => [placeOf(range.s.r, range.s.c), range]));
  const titles = countTitles(all, columns, merged);
  const rows = all.slice(titles);
  const kept =
    titles === 0 ? columns : columns.filter((column) => rows.some(({ cells }) => cells.has(column)));
  /** Of each column, the row at which a cell that reaches into it ends. */
  const ends: number[] = [];

  function writeRow({ at, cells }: Row, index: number): string {
    const out: string[] = [];
    const tag = index === 0 ? 'th' : 'td';
    for (let n = 0; n < kept.length; n++) {
      if ((ends[n] ?? 0) > index) continue;
      const column = kept[n] as number;
      const cell = cells.get(column);
      const range = cell === undefined || merged.size === 0 ? undefined : merged.get(placeOf(at, column));
      let [width, height] = [1, 1];
      if (range !== undefined) {
        while ((kept[n + width] ?? Infinity) <= range.e.c && (ends[n + width] ?? 0) <= index) width++;
        // The head of a table reaches into no row of its body.
        const last = index === 0 ? -1 : range.e.r;
        while ((rows[index + height]?.at ?? Infinity) <= last) height++;
        for (let to = n; to < n + width; to++) ends[to] = index + height;
      }
      const spans = `${width > 1 ? ` colspan="${width}"` : ''}${height > 1 ? ` rowspan="${height}"` : ''}`;
      out.push(`<${tag}${spans}>${cell === undefined ? '' : cellToHtml(cell)}</${tag}>`);
      n += width - 1;
    }
    return `<tr>${out.join('')}</tr>`;
  }

  const [head = '', ...body] = rows.map(writeRow);
  const told = all.slice(0, titles).flatMap(({ cells }) => [...cells.values()]);
  return [
    ...told.map((cell) => `<p>${cellToHtml(cell)}</p>`),
    '<table>\n<thead>',
    head,
    '</thead>',
    ...(body.length > 0 ? ['<tbody>', ...body, '</tbody>'] : []),
    '</table>',
  ].join('\n');
}

/** Lines of one cell before a table: they reach over all of it, or an empty row stands below. */
function countTitles(
  rows: readonly Row[],
  columns: readonly number[],
  merged: ReadonlyMap<string, Range>,
): number {
  let count = 0;
  for (; columns.length > 1 && count < rows.length - 1; count++) {
    const { at, cells } = rows[count] as Row;
    const [column, ...others] = cells.keys();
    if (column === undefined || others.length > 0) break;
    const range = merged.get(placeOf(at, column));
    const isOverAll = column === columns[0] && (range?.e.c ?? column) >= (columns.at(-1) as number);
    if (!isOverAll && (rows[count + 1]?.at ?? 0) === at + 1) break;
  }
  return count;
}

function cellToHtml({ text, url }: Cell): string {
  const html = escapeText(text).replaceAll('\n', '<br>');
  return url === null ? html : `<a href="${escapeValue(url)}">${html}</a>`;
}

const quote = (name: string): string => `"${name.slice(0, 100)}"`;

function tellHidden({ hiddenRows, hiddenColumns }: Table, sheet: string): string[] {
  const parts = [
    [hiddenRows, 'row'],
    [hiddenColumns, 'column'],
  ] as const;
  const told = parts
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`);
  return told.length === 0 ? [] : [`${told.join(' and ')} of the sheet ${quote(sheet)}`];
}

const mostTold = 10;

const hiddenParts = (parts: readonly string[]): Warning => ({
  code: 'hidden_parts',
  message: `The workbook hides parts of itself, which are left out: ${parts.slice(0, mostTold).join('; ')}${parts.length > mostTold ? '; and more' : ''}.`,
});

const cutRows = (sheet: string): Warning => ({
  code: 'document_truncated',
  message: `The sheet ${quote(sheet)} is read to its row ${mostRows.toLocaleString('en')}; the document goes on.`,
});

export const tooManyCells = (): AppError =>
  new AppError(
    'target_too_large',
    `The document has more than ${mostCells.toLocaleString('en')} cells. Give the URL of a smaller one.`,
  );
