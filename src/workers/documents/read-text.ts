import Papa from 'papaparse';
import { escapeText } from '../extract/content-html.ts';
import { isRecord } from '../extract/page-facts.ts';
import { findSeparator, tableHead } from '../page/fetch/table-lines.ts';
import { bareContent, type DocumentContent } from './document-content.ts';
import { tableToHtml } from './pdf-blocks.ts';
import { tooManyCells } from './workbook-tables.ts';

const mostCells = 1_000_000;
const mostRows = 50_000;
const mostColumns = 50;

export const code = (text: string, language: string): string =>
  `<pre><code class="language-${language}">${escapeText(text)}\n</code></pre>`;

const tabType = /tab-separated-values$/i;
const csvType = /csv$|comma-separated-values$/i;
/** A first line with which a table tells spreadsheet programs what separates its cells. */
const separatorLine = /^sep=(.)\r?\n/i;

/**
 * Comma-, semicolon- or tab-separated rows as a table.
 * @param contentType says of tabs that they alone separate cells.
 * @throws AppError `target_too_large`.
 */
export function readCsv(text: string, contentType: string | null): DocumentContent {
  const whole = text.replace(/^\ufeff/, '');
  const [line = '', separator] = separatorLine.exec(whole) ?? [];
  const rows = whole.slice(line.length);
  const isNamed = csvType.test(contentType ?? '');
  const found = isNamed ? null : findSeparator(rows.slice(0, tableHead), rows.length <= tableHead, true);
  const { data, meta } = Papa.parse<string[]>(rows, {
    delimiter: separator ?? (tabType.test(contentType ?? '') ? '\t' : (found ?? '')),
    skipEmptyLines: 'greedy',
    preview: mostRows + 1,
  });
  const cells = data.reduce((sum, row) => sum + row.length, 0);
  if (cells > mostCells) throw tooManyCells();
  const content = bareContent(data.length === 0 ? '' : tableToHtml(data.slice(0, mostRows)));
  // Empty rows count for `preview`, and are not among the data.
  if (data.length > mostRows || (meta.truncated && rows.slice(meta.cursor).trim() !== '')) {
    const message = `The table ends after ${Math.min(data.length, mostRows).toLocaleString('en')} rows here; the document goes on.`;
    content.warnings.push({ code: 'document_truncated', message });
  }
  return content;
}

/** Of ES2026, which the compiler's types lack: JSON whose numbers are written as they stood. */
const exactJson = JSON as unknown as {
  parse(text: string, reviver: (key: string, value: unknown, place: { source?: string }) => unknown): unknown;
  rawJSON(text: string): object;
  isRawJSON(value: unknown): value is { rawJSON: string };
};
const { isRawJSON } = exactJson;

/** A number that would be written otherwise than it stands there (`1.10`, one of 17 digits) keeps its text. */
const keepNumber = (_key: string, value: unknown, { source }: { source?: string }): unknown =>
  typeof value === 'number' && source !== undefined && source !== String(value)
    ? exactJson.rawJSON(source)
    : value;

/** A list of like objects as a table, any other JSON as it is, indented. */
export function readJson(text: string): DocumentContent | null {
  const json = text.replace(/^\ufeff/, '');
  let value: unknown;
  try {
    value = exactJson.parse(json, keepNumber);
  } catch (error) {
    // Nested deeper than the stack: as it was written.
    return error instanceof RangeError && isJson(json) ? bareContent(code(json, 'json')) : null;
  }
  if (typeof value !== 'object' || value === null || isRawJSON(value)) return null;
  const rows = Array.isArray(value) ? tableOf(value) : null;
  if (rows !== null) return bareContent(tableToHtml(rows));
  return bareContent(code(stringify(value) ?? json, 'json'));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Null where it is nested deeper than the stack. */
function stringify(value: object): string | null {
  try {
    return JSON.stringify(value, null, 2);
  } catch {
    return null;
  }
}

function tableOf(list: readonly unknown[]): string[][] | null {
  if (list.length === 0 || list.length > mostRows) return null;
  const columns = new Set<string>();
  for (const one of list) {
    if (!isRecord(one) || isRawJSON(one)) return null;
    for (const [name, value] of Object.entries(one)) {
      if (typeof value === 'object' && value !== null && !isRawJSON(value)) return null;
      columns.add(name);
      if (columns.size > mostColumns) return null;
    }
  }
  const names = [...columns];
  return [names, ...list.map((one) => names.map((name) => cellOf(one as Record<string, unknown>, name)))];
}

function cellOf(row: Record<string, unknown>, name: string): string {
  const value = Object.hasOwn(row, name) ? row[name] : null;
  return isRawJSON(value) ? value.rawJSON : String(value ?? '');
}

/** Markup that is no page, as it is. */
export const readXml = (text: string): DocumentContent => bareContent(code(text.trim(), 'xml'));
