import { read, utils } from '@e965/xlsx';
import { decodeXML } from 'entities';
import mammoth from 'mammoth';
import { AppError } from '../../shared/errors.ts';
import { escapeText } from '../extract/content-html.ts';
import { readIsoDate } from '../extract/iso-date.ts';
import { toLanguageTag } from '../extract/language-tag.ts';
import { bareContent, type DocumentContent } from './document-content.ts';
import { tableToHtml } from './pdf-blocks.ts';
import { checkZip, unpackEntry } from './zip.ts';

const mostRows = 50_000;
const mostCells = 1_000_000;

/** What an office document says of itself (ECMA-376 part 2, core properties). */
function readProperties(file: Buffer): Omit<DocumentContent, 'html' | 'warnings'> {
  const entry = checkZip(file).find(({ name }) => name === 'docProps/core.xml');
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
  const properties = readProperties(file);
  try {
    const options = {
      // Pictures stand inside of the file: they have no address.
      convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
      styleMap: [
        "p[style-name='Title'] => h1:fresh",
        "p[style-name='Subtitle'] => p:fresh",
        "p[style-name='Code'] => pre:separator('\n')",
      ],
    };
    const { value } = await mammoth.convertToHtml({ buffer: file }, options);
    return { ...properties, html: value.replace(/<img[^>]*>/g, ''), warnings: [] };
  } catch (error) {
    throw unreadable('Word document', error);
  }
}

/** A workbook: a heading and a table a sheet. @throws AppError `unsupported_content`, `target_too_large`. */
export function readWorkbook(file: Buffer): DocumentContent {
  const properties = readProperties(file);
  const parts: string[] = [];
  const content = { ...bareContent(''), ...properties };
  try {
    const book = read(file, {
      type: 'buffer',
      dense: true,
      cellFormula: false,
      cellHTML: false,
      sheetRows: mostRows + 1,
    });
    let cells = 0;
    for (const [index, name] of book.SheetNames.entries()) {
      const sheet = book.Sheets[name];
      if (sheet === undefined || (book.Workbook?.Sheets?.[index]?.Hidden ?? 0) > 0) continue;
      const range = utils.decode_range(sheet['!ref'] ?? 'A1');
      // That of the file goes beyond the rows that were read.
      const last = utils.decode_range(sheet['!fullref'] ?? sheet['!ref'] ?? 'A1').e.r;
      if (last >= mostRows) content.warnings.push(cutRows(name));
      if (range.s.r >= mostRows) continue;
      range.e.r = Math.min(range.e.r, mostRows - 1);
      const rows = utils.sheet_to_json<unknown[]>(sheet, {
        header: 1,
        raw: false,
        defval: '',
        blankrows: false,
        range,
      });
      if (rows.length === 0) continue;
      const kept: string[][] = [];
      for (const row of rows) {
        cells += row.length;
        if (cells > mostCells) throw tooManyCells();
        kept.push(row.map((cell) => String(cell ?? '')));
      }
      parts.push(`<h2>${escapeText(name)}</h2>`, tableToHtml(kept));
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw unreadable('workbook', error);
  }
  return { ...content, html: parts.join('\n') };
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
