import Papa from 'papaparse';
import { escapeText } from '../extract/content-html.ts';
import { isRecord } from '../extract/page-facts.ts';
import { bareContent, type DocumentContent } from './document-content.ts';
import { tableToHtml } from './pdf-blocks.ts';
import { tooManyCells } from './read-office.ts';

const mostCells = 1_000_000;
const mostRows = 50_000;
const mostColumns = 50;
const fullLine = 60;

const code = (text: string, language: string): string =>
  `<pre><code class="language-${language}">${escapeText(text)}\n</code></pre>`;

/** Comma-, semicolon- or tab-separated rows as a table. @throws AppError `target_too_large`. */
export function readCsv(text: string): DocumentContent {
  const { data } = Papa.parse<string[]>(text.replace(/^\ufeff/, ''), {
    skipEmptyLines: 'greedy',
    preview: mostRows + 1,
  });
  const cells = data.reduce((sum, row) => sum + row.length, 0);
  if (cells > mostCells) throw tooManyCells();
  const content = bareContent(data.length === 0 ? '' : tableToHtml(data.slice(0, mostRows)));
  if (data.length > mostRows) {
    const message = `The table ends after ${mostRows.toLocaleString('en')} rows here; the document goes on.`;
    content.warnings.push({ code: 'document_truncated', message });
  }
  return content;
}

/** A list of like objects as a table, any other JSON as it is, indented. */
export function readJson(text: string): DocumentContent | null {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const rows = Array.isArray(value) ? tableOf(value) : null;
  if (rows !== null) return bareContent(tableToHtml(rows));
  try {
    return bareContent(code(JSON.stringify(value, null, 2), 'json'));
  } catch {
    // Nested deeper than the stack: as it was written.
    return bareContent(code(text, 'json'));
  }
}

function tableOf(list: readonly unknown[]): string[][] | null {
  if (list.length === 0 || list.length > mostRows) return null;
  const columns = new Set<string>();
  for (const one of list) {
    if (!isRecord(one)) return null;
    for (const [name, value] of Object.entries(one)) {
      if (typeof value === 'object' && value !== null) return null;
      columns.add(name);
      if (columns.size > mostColumns) return null;
    }
  }
  const names = [...columns];
  return [
    names,
    ...list.map((one) => names.map((name) => String((one as Record<string, unknown>)[name] ?? ''))),
  ];
}

/** Plain text: paragraphs where empty lines stand; lines that are filled up to a margin are one. */
export function readPlainText(text: string): DocumentContent {
  const paragraphs = text.replace(/\r\n?/g, '\n').split(/\n[^\S\n]*\n\s*/);
  const html = paragraphs
    .map((paragraph) => paragraph.replace(/^\n+|\s+$/g, ''))
    .filter((paragraph) => paragraph.trim() !== '')
    .map((paragraph) => {
      const lines = paragraph.split('\n');
      const isFilled = lines.slice(0, -1).every((line) => line.length >= fullLine);
      return `<p>${lines.map((line) => escapeText(line.trim())).join(isFilled ? ' ' : '<br>')}</p>`;
    });
  return bareContent(html.join('\n'));
}

/** Markup that is no page, as it is. */
export const readXml = (text: string): DocumentContent => bareContent(code(text.trim(), 'xml'));
