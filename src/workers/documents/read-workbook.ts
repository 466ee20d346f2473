import { type CellObject, read, SSF, utils, type WorkBook, type WorkSheet } from '@e965/xlsx';
import { decodeXML } from 'entities';
import mammoth from 'mammoth';
import { AppError } from '../../shared/errors.ts';
import { isExhaustion } from '../../shared/tasks/exhaustion.ts';
import { escapeText } from '../extract/content-html.ts';
import { readIsoDate } from '../extract/iso-date.ts';
import { toLanguageTag } from '../extract/language-tag.ts';
import { bareContent, type DocumentContent } from './document-content.ts';
import { tableToHtml } from './pdf-blocks.ts';
import { markNumbers, readMarks } from './word-numbers.ts';
import { checkZip, replaceEntry, unpackEntry, type ZipEntry } from './zip.ts';

const mostRows = 50_000;
const mostCells = 1_000_000;

/** What an office document says of itself (ECMA-376 part 2, core properties). */
function readProperties(
  file: Buffer,
  entries: readonly ZipEntry[],
): Omit<DocumentContent, 'html' | 'warnings'> {
  const entry = entries.find(({ name }) => name === 'docProps/core.xml');
  const xml = entry === undefined || entry.bytes > 1_000_000 ? '' : unpackEntry(file, entry).toString('utf8');
  const text = (name: string): string | null => {
    const value = new RegExp(`<${name}(?:\\s[^>]{0,500})?>([^<]{1,2000})</${name}>`).exec(xml)?.[1];
    return value === undefined ? null : decodeXML(value).trim() || null;
  };
  return {
    title: text('dc:title'),
    author: text('dc:creator'),
    publishedAt: readIsoDate(text('dcterms:created') ?? '') ?? null,
    modifiedAt: readIsoDate(text('dcterms:modified') ?? '') ?? null,
    language: toLanguageTag(text('dc:language')),
  };
}

/** A Word document. @throws AppError `unsupported_content`, `target_too_large`. */
export async function readWordDocument(file: Buffer): Promise<DocumentContent> {
  const entries = checkZip(file);
  const properties = readProperties(file, entries);
  try {
    const options = {
      // Pictures stand inside of the file: they have no address.
      convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
      styleMap: [
        "p[style-name='Title'] => h1:fresh",
        "p[style-name='Subtitle'] => p:fresh",
        ...['Code', 'Source Code', 'HTML Preformatted'].map(
          (name) => `p[style-name='${name}'] => pre:separator('\n')`,
        ),
        ...['Quote', 'Intense Quote'].map((name) => `p[style-name='${name}'] => blockquote > p:fresh`),
        // Words before and after it are two.
        "br[type='page'] => br",
        "br[type='column'] => br",
      ],
    };
    const { value } = await mammoth.convertToHtml({ buffer: withNumbers(file, entries) }, options);
    return { ...properties, html: readMarks(value.replace(/<img[^>]*>/g, '')), warnings: [] };
  } catch (error) {
    if (isExhaustion(error)) throw error;
    throw unreadable('Word document', error);
  }
}

/** A Word document whose numbered paragraphs say their numbers, for `readMarks`. */
function withNumbers(file: Buffer, entries: readonly ZipEntry[]): Buffer {
  const textOf = (name: string): string => {
    const entry = entries.find((one) => one.name === name);
    return entry === undefined ? '' : unpackEntry(file, entry).toString('utf8');
  };
  const numbering = textOf('word/numbering.xml');
  const document = numbering === '' ? '' : textOf('word/document.xml');
  if (document === '') return file;
  const content = markNumbers(document, numbering, textOf('word/styles.xml'));
  return replaceEntry(file, 'word/document.xml', Buffer.from(content));
}

/** A workbook: a heading and a table a sheet. @throws AppError `unsupported_content`, `target_too_large`. */
export function readWorkbook(file: Buffer): DocumentContent {
  const properties = readProperties(file, checkZip(file));
  const parts: string[] = [];
  const content = { ...bareContent(''), ...properties };
  try {
    const book = read(file, { ...readOptions, sheetRows: mostRows + 1 });
    const is1904 = book.Workbook?.WBProps?.date1904 === true;
    let whole: WorkBook | undefined;
    const readWhole = () => (whole ??= read(file, readOptions));
    let cells = 0;
    for (const [index, name] of book.SheetNames.entries()) {
      const sheet = book.Sheets[name];
      if (sheet === undefined || (book.Workbook?.Sheets?.[index]?.Hidden ?? 0) > 0) continue;
      if (goesOn(sheet, () => readWhole().Sheets[name])) content.warnings.push(cutRows(name));
      const table = toTable(sheet['!data'] ?? [], is1904, mostCells - cells);
      cells += table.length * (table[0]?.length ?? 0);
      if (table.length > 0) parts.push(`<h2>${escapeText(name)}</h2>`, tableToHtml(table));
    }
  } catch (error) {
    if (error instanceof AppError || isExhaustion(error)) throw error;
    throw unreadable('workbook', error);
  }
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

/**
 * The rows and columns that have text. A row says nothing of the size of the table: its one cell may stand far right.
 * @param most cells; beyond them, `target_too_large`.
 */
function toTable(data: CellObject[][], is1904: boolean, most: number): string[][] {
  const rows: Map<number, string>[] = [];
  const columns = new Set<number>();
  for (const cells of data.slice(0, mostRows)) {
    const texts = new Map<number, string>();
    for (const [at, cell] of Object.entries(cells ?? [])) {
      const text = cellText(cell, is1904);
      if (text !== '') texts.set(Number(at), text);
    }
    for (const at of texts.keys()) columns.add(at);
    if (texts.size > 0) rows.push(texts);
    if (rows.length * columns.size > most) throw tooManyCells();
  }
  const kept = [...columns].sort((a, b) => a - b);
  return rows.map((texts) => kept.map((at) => texts.get(at) ?? ''));
}

const cutRows = (sheet: string) => ({
  code: 'document_truncated',
  message: `The sheet "${sheet.slice(0, 100)}" is read to its row ${mostRows.toLocaleString('en')}; the document goes on.`,
});

export const tooManyCells = (): AppError =>
  new AppError(
    'target_too_large',
    `The document has more than ${mostCells.toLocaleString('en')} cells. Give the URL of a smaller one.`,
  );

function unreadable(what: string, cause: unknown): AppError {
  return new AppError(
    'unsupported_content',
    `The ${what} is damaged or encrypted and cannot be read. Give the URL of another copy.`,
    { cause },
  );
}
