import { escapeText } from '../extract/content-html.ts';
import { type Line, lineText, type Segment } from './pdf-lines.ts';

export type PdfBlock =
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'paragraph'; text: string }
  | { kind: 'item'; ordered: boolean; text: string }
  | { kind: 'table'; rows: string[][] };

const bullet = /^[•◦▪■●○‣⁃∙·–—*-]\s+(?=\S)/;
const number = /^(?:\(?(?:\d{1,3}|[a-z])[.)])\s+(?=\S)/;
/** What stands before the text of an item, set apart from it. */
const marker = /^(?:[•◦▪■●○‣⁃∙·–—*-]|\(?(?:\d{1,3}|[a-z])[.)])$/;
const tableRows = 3;
/** Of the size: starts of cells this close are one column. */
const sameColumn = 1.5;

/** Lines of a column as blocks. @param bodySize of most of the document's text, in points. */
export function toBlocks(lines: readonly Line[], bodySize: number): PdfBlock[] {
  const blocks: PdfBlock[] = [];
  const left = Math.min(...lines.map(({ x }) => x));
  const leading = typicalLeading(lines);
  for (let at = 0; at < lines.length;) {
    const rows = tableAt(lines, at);
    if (rows >= tableRows) {
      blocks.push({ kind: 'table', rows: toRows(lines.slice(at, at + rows)) });
      at += rows;
      continue;
    }
    let end = at + 1;
    while (
      end < lines.length &&
      follows(lines[end - 1] as Line, lines[end] as Line, left, leading, lines[at] as Line)
    ) {
      if (tableAt(lines, end) >= tableRows) break;
      end++;
    }
    blocks.push(toBlock(lines.slice(at, end), bodySize));
    at = end;
  }
  return blocks;
}

function typicalLeading(lines: readonly Line[]): number {
  const gaps = lines.slice(1).map((line, i) => ((lines[i] as Line).y - line.y) / line.size);
  const sane = gaps.filter((gap) => gap > 0.8 && gap < 3).sort((a, b) => a - b);
  return sane[Math.floor(sane.length / 2)] ?? 1.2;
}

function follows(before: Line, line: Line, left: number, leading: number, first: Line): boolean {
  const gap = (before.y - line.y) / line.size;
  if (Math.abs(before.size - line.size) > 0.12 * before.size) return false;
  if (gap < 0.5 || gap > leading * 1.25 + 0.1) return false;
  const text = lineText(line);
  if (bullet.test(text) || (number.test(text) && !/[,;]$/.test(lineText(before)))) return false;
  const start = lineText(first);
  if (bullet.test(start) || number.test(start)) return line.x >= first.x - 1;
  // A first line that is indented begins a paragraph.
  const indent = line.x - left;
  return !(indent > 0.8 * line.size && indent < 4 * line.size && before.x - left < 0.5 * line.size);
}

/** Lines as one text: words that a hyphen breaks at the end of a line are put together. */
function joinLines(texts: readonly string[]): string {
  let out = '';
  for (const text of texts) {
    if (out === '') out = text;
    else if (/\p{L}[-\u2010\u00ad]$/u.test(out) && /^\p{Ll}/u.test(text)) out = out.slice(0, -1) + text;
    else out += ` ${text}`;
  }
  return out.replaceAll('\u00ad', '').trim();
}

function toBlock(lines: readonly Line[], bodySize: number): PdfBlock {
  const text = joinLines(lines.map(lineText));
  const size = lines[0]?.size ?? bodySize;
  const ratio = size / bodySize;
  if (ratio >= 1.12 && text.length < 250 && lines.length <= 4 && /\p{L}/u.test(text)) {
    return { kind: 'heading', level: ratio >= 1.7 ? 1 : ratio >= 1.35 ? 2 : 3, text };
  }
  if (bullet.test(text)) return { kind: 'item', ordered: false, text: text.replace(bullet, '') };
  if (number.test(text)) return { kind: 'item', ordered: true, text: text.replace(number, '') };
  return { kind: 'paragraph', text };
}

/** How many lines from here have cells whose starts stand below each other. */
function tableAt(lines: readonly Line[], at: number): number {
  const first = lines[at];
  if (first === undefined || first.segments.length < 2) return 0;
  if (first.segments.length === 2 && marker.test(first.segments[0]?.text ?? '')) return 0;
  let count = 1;
  for (let i = at + 1; i < lines.length; i++) {
    const line = lines[i] as Line;
    const gap = ((lines[i - 1] as Line).y - line.y) / line.size;
    if (line.segments.length < 2 || gap > 4 || !alignsWith(line.segments, first.segments, line.size)) break;
    count++;
  }
  return count;
}

function alignsWith(a: readonly Segment[], b: readonly Segment[], size: number): boolean {
  const near = (one: number, other: number): boolean => Math.abs(one - other) <= sameColumn * size;
  const matches = a.filter((cell) =>
    b.some(
      (other) => near(cell.x, other.x) || near(cell.right, other.right) || near(middle(cell), middle(other)),
    ),
  ).length;
  return matches >= 2 && matches >= a.length - 1;
}

const middle = ({ x, right }: Segment): number => (x + right) / 2;

/** Cells by the columns of the row that has most. */
function toRows(lines: readonly Line[]): string[][] {
  const widest = lines.reduce((best, line) => (line.segments.length > best.segments.length ? line : best));
  return lines.map(({ segments }) => {
    const row = widest.segments.map(() => '');
    for (const segment of segments) {
      let best = 0;
      for (const [column, other] of widest.segments.entries()) {
        if (distance(segment, other) < distance(segment, widest.segments[best] as Segment)) best = column;
      }
      row[best] = `${row[best]} ${segment.text}`.trim();
    }
    return row;
  });
}

const distance = (a: Segment, b: Segment): number =>
  Math.min(Math.abs(a.x - b.x), Math.abs(a.right - b.right), Math.abs(middle(a) - middle(b)));

/** HTML of blocks that follow each other; items of one kind stand in one list. */
export function blocksToHtml(blocks: readonly PdfBlock[]): string {
  const out: string[] = [];
  let list: 'ul' | 'ol' | null = null;
  for (const block of blocks) {
    const wanted = block.kind === 'item' ? (block.ordered ? 'ol' : 'ul') : null;
    if (list !== wanted) {
      if (list !== null) out.push(`</${list}>`);
      if (wanted !== null) out.push(`<${wanted}>`);
      list = wanted;
    }
    if (block.kind === 'heading') out.push(`<h${block.level}>${escapeText(block.text)}</h${block.level}>`);
    else if (block.kind === 'paragraph') out.push(`<p>${escapeText(block.text)}</p>`);
    else if (block.kind === 'item') out.push(`<li>${escapeText(block.text)}</li>`);
    else out.push(tableToHtml(block.rows));
  }
  if (list !== null) out.push(`</${list}>`);
  return out.join('\n');
}

/** The first row is the table's head. */
export function tableToHtml(rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[], tag: 'td' | 'th'): string =>
    `<tr>${cells.map((cell) => `<${tag}>${escapeText(cell).replaceAll('\n', '<br>')}</${tag}>`).join('')}</tr>`;
  const [head = [], ...body] = rows;
  const rest = body.map((row) => line(row, 'td')).join('\n');
  return `<table>\n<thead>\n${line(head, 'th')}\n</thead>\n${rest === '' ? '' : `<tbody>\n${rest}\n</tbody>\n`}</table>`;
}
