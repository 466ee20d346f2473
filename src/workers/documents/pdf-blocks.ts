import { escapeText } from '../extract/content-html.ts';
import { type Line, lineText, type Segment } from './pdf-lines.ts';

export type PdfBlock =
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'paragraph'; text: string }
  /** With the bullet, number or letter that stands before the text. */
  | { kind: 'item'; mark: string; text: string }
  | { kind: 'table'; rows: string[][] };

const bullet = /^[•◦▪■●○‣⁃∙·–*-]\s+(?=[^\s•*–—-])/;
const label = /^\(?(?:\d{1,3}|[a-z])[.)](?=\s+\S)/;
/** A dash begins a line of a dialogue, or goes on with a sentence. */
const dash = /^—\s/;
/** A bullet that is nothing else. */
const sureBullet = /^[•◦▪■●○‣⁃∙]/;
/** Characters of a line that may have been broken at a margin. */
const fullLine = 30;
const sentenceEnd = /[.!?:;…"”»)\]]$/;
/** What stands before the text of an item, set apart from it. */
const marker = /^(?:[•◦▪■●○‣⁃∙·–—*-]|\(?(?:\d{1,3}|[a-z])[.)])$/;
/** Dots that lead to a page number: an entry of a table of contents ends there. */
const leaders = /(?:\. ?){5}\s*\d{1,4}$/;
const tableRows = 3;
/** Of the size of most text: from here on, a heading's. */
const headingRatio = 1.12;
/** Of the size: starts of cells this close are one column. */
const sameColumn = 1.5;

/** Lines of a column as blocks. @param bodySize of most of the document's text, in points. */
export function toBlocks(lines: readonly Line[], bodySize: number): PdfBlock[] {
  const blocks: PdfBlock[] = [];
  const left = Math.min(...lines.map(({ x }) => x));
  const right = Math.max(...lines.map((line) => line.right));
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
      follows(
        lines[end - 1] as Line,
        lines[end] as Line,
        { left, right, leading, bodySize },
        lines[at] as Line,
      )
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

interface Measure {
  left: number;
  right: number;
  leading: number;
  bodySize: number;
}

function follows(
  before: Line,
  line: Line,
  { left, right, leading, bodySize }: Measure,
  first: Line,
): boolean {
  const gap = (before.y - line.y) / line.size;
  if (Math.abs(before.size - line.size) > 0.12 * before.size) return false;
  if (gap < 0.5 || gap > leading * 1.25 + 0.1) return false;
  const [text, start] = [lineText(line), lineText(first)];
  if (bullet.test(text) || leaders.test(lineText(before))) return false;
  // The lines of a heading are often broken by hand.
  if (line.size < headingRatio * bodySize && isEnded(before, line)) return false;
  const isWrapped =
    lineText(before).length >= fullLine &&
    right - before.right < firstWordOf(line) &&
    !sentenceEnd.test(lineText(before));
  if ((label.test(text) || dash.test(text)) && !(isWrapped && !comesNext(start, text))) return false;
  if (bullet.test(start) || label.test(start)) return line.x >= first.x - 1;
  // A first line that is indented begins a paragraph.
  const indent = line.x - left;
  return !(indent > 0.8 * line.size && indent < 4 * line.size && before.x - left < 0.5 * line.size);
}

/** Whether a line was ended before it was full: the next reaches so much further that its first word had room in it. */
function isEnded(before: Line, line: Line): boolean {
  const room = firstWordOf(line);
  const isShorter = line.right - line.x - (before.right - before.x) > room;
  return isShorter && line.right - before.right > room && !/^\p{Ll}/u.test(lineText(line));
}

/** About how much room the first word of a line takes, in points. */
function firstWordOf(line: Line): number {
  const text = lineText(line);
  return ((line.right - line.x) * (text.search(/\s|$/) + 1)) / Math.max(1, text.length);
}

/** Whether the label of one is that after the other's: the next number or letter with the same marks. */
function comesNext(before: string, after: string): boolean {
  const [one, other] = [before, after].map((text) => /^(\(?)(\d{1,3}|[a-z])([.)])/.exec(text));
  if (one?.[2] === undefined || other?.[2] === undefined) return false;
  const [a, b] = [one[2], other[2]].map((name) => (/\d/.test(name) ? Number(name) : name.charCodeAt(0)));
  return one[1] === other[1] && one[3] === other[3] && b === (a as number) + 1;
}

const unspaced = '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\u3000-\\u303f\\uff01-\\uff60]';
const [endsUnspaced, beginsUnspaced] = [new RegExp(`${unspaced}$`, 'u'), new RegExp(`^${unspaced}`, 'u')];

/** Whether no space stands between two lines of one text: Chinese and Japanese have none. */
export const joinsBare = (before: string, after: string): boolean =>
  endsUnspaced.test(before) && beginsUnspaced.test(after);

/** Lines as one text: words that a hyphen breaks at the end of a line are put together. */
export function joinLines(texts: readonly string[]): string {
  let out = '';
  for (const text of texts) {
    if (out === '') out = text;
    else if (/\p{L}[-\u2010\u00ad]$/u.test(out) && /^\p{Ll}/u.test(text)) out = out.slice(0, -1) + text;
    else if (/\p{L}[-\u2010]$/u.test(out) && /^[\p{Lu}\p{N}]/u.test(text)) out += text;
    else out += joinsBare(out, text) ? text : ` ${text}`;
  }
  return out.replaceAll('\u00ad', '').trim();
}

function toBlock(lines: readonly Line[], bodySize: number): PdfBlock {
  const text = joinLines(lines.map(lineText));
  const size = lines[0]?.size ?? bodySize;
  const ratio = size / bodySize;
  if (ratio >= headingRatio && text.length < 250 && lines.length <= 4 && /\p{L}/u.test(text)) {
    return { kind: 'heading', level: ratio >= 1.7 ? 1 : ratio >= 1.35 ? 2 : 3, text };
  }
  const mark = (bullet.exec(text) ?? label.exec(text))?.[0];
  return mark === undefined
    ? { kind: 'paragraph', text }
    : { kind: 'item', mark: mark.trim(), text: text.slice(mark.length).trim() };
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

type Item = Extract<PdfBlock, { kind: 'item' }>;

const isSameList = (before: Item, item: Item): boolean =>
  comesNext(before.mark, item.mark) || (bullet.test(`${before.mark} x`) && bullet.test(`${item.mark} x`));

/** Items that follow each other, as one list; letters, and the mark of one alone, stay in the text. */
function itemsToHtml(items: readonly Item[]): string {
  const mark = items[0]?.mark ?? '';
  const [number] = /\d+/.exec(mark) ?? [];
  const isList = items.length > 1 || sureBullet.test(mark);
  const isMarked = isList && !/[a-z]/.test(mark);
  const texts = items.map((item) => escapeText(isMarked ? item.text : `${item.mark} ${item.text}`));
  if (!isList) return `<p>${texts[0]}</p>`;
  const start = number === undefined || number === '1' ? '' : ` start="${number}"`;
  const tag = number === undefined ? 'ul' : 'ol';
  return [`<${tag}${start}>`, ...texts.map((text) => `<li>${text}</li>`), `</${tag}>`].join('\n');
}

/** HTML of blocks that follow each other; items that do stand in one list. */
export function blocksToHtml(blocks: readonly PdfBlock[]): string {
  const out: string[] = [];
  let items: Item[] = [];
  const closeList = (): void => {
    if (items.length > 0) out.push(itemsToHtml(items));
    items = [];
  };
  for (const block of blocks) {
    const last = items.at(-1);
    if (block.kind !== 'item' || (last !== undefined && !isSameList(last, block))) closeList();
    if (block.kind === 'item') items.push(block);
    else if (block.kind === 'heading')
      out.push(`<h${block.level}>${escapeText(block.text)}</h${block.level}>`);
    else if (block.kind === 'paragraph') out.push(`<p>${escapeText(block.text)}</p>`);
    else out.push(tableToHtml(block.rows));
  }
  closeList();
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
