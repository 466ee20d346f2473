import { type CellObject, type Range, read, utils, type WorkBook, type WorkSheet } from '@e965/xlsx';
import { AppError } from '../../shared/errors.ts';
import type { Warning } from '../../shared/schemas/job.ts';
import { isExhaustion } from '../../shared/tasks/exhaustion.ts';
import { escapeText, escapeValue } from '../extract/content-html.ts';
import { bareContent, type DocumentContent } from './document-content.ts';
import { readProperties, unreadable } from './office-file.ts';
import { createLayoutReader, mostColumns, cellKey, type SheetLayout } from './workbook-layout.ts';
import {
  type Cell,
  countTitles,
  mostCells,
  mostRows,
  readTable,
  type Row,
  splitTables,
  type Table,
  urlOf,
} from './workbook-tables.ts';
import { checkZip } from './zip.ts';

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
    const url = urlOf(cell) ?? links.get(cellKey(s.r, s.c));
    (data[to.r] ??= [])[to.c] = url === undefined ? cell : { ...cell, l: { Target: url } };
    delete data[s.r]?.[s.c];
    return { s: to, e };
  });
}

/** A table below the titles of its sheet; the first row that is none is its head. */
function tableToHtml(
  { rows: all, columns }: Pick<Table, 'rows' | 'columns'>,
  merges: readonly Range[],
): string {
  const merged = new Map(merges.map((range) => [cellKey(range.s.r, range.s.c), range]));
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
      const range = cell === undefined || merged.size === 0 ? undefined : merged.get(cellKey(at, column));
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
