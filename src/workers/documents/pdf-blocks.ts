import { escapeText } from '../extract/content-html.ts';
import { type Line, lineText } from './pdf-lines.ts';
import { leastOf, mostOf } from './pdf-runs.ts';
import { partCells, tableAt, toRows } from './pdf-tables.ts';
import { isBrokenAt, joinLines } from './pdf-text.ts';

export type PdfBlock =
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'paragraph'; text: string }
  /** With the bullet, number or letter that stands before the text, and how far it is indented. */
  | { kind: 'item'; mark: string; text: string; indent: number }
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
/** Dots that lead to a page number: an entry of a table of contents ends there. */
const leaders = /(?:\. ?){5}\s*\d{1,4}$/;
/** Of the size of most text: from here on, a heading's. */
const headingRatio = 1.12;

/** Lines of a column as blocks. @param bodySize of most of the document's text, in points. */
export function toBlocks(column: readonly Line[], bodySize: number): PdfBlock[] {
  const lines = partCells(column);
  const blocks: PdfBlock[] = [];
  const left = leastOf(lines.map(({ x }) => x));
  const right = mostOf(lines.map((line) => line.right));
  const leading = typicalLeading(lines);
  for (let at = 0; at < lines.length;) {
    const inTable = tableAt(lines, at);
    if (inTable > 0) {
      blocks.push({ kind: 'table', rows: toRows(lines.slice(at, at + inTable)) });
      at += inTable;
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
      if (tableAt(lines, end) > 0) break;
      end++;
    }
    blocks.push(toBlock(lines.slice(at, end), { left, bodySize }));
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
  const [end, start] = [lineText(before), lineText(line)];
  return isShorter && line.right - before.right > room && !/^\p{Ll}/u.test(start) && !isBrokenAt(end, start);
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

function toBlock(lines: readonly Line[], { left, bodySize }: Pick<Measure, 'left' | 'bodySize'>): PdfBlock {
  const text = joinLines(lines.map(lineText));
  const size = lines[0]?.size ?? bodySize;
  const ratio = size / bodySize;
  const isLarge = ratio >= headingRatio && !sureBullet.test(text);
  if (isLarge && text.length < 250 && lines.length <= 4 && /\p{L}/u.test(text)) {
    return { kind: 'heading', level: ratio >= 1.7 ? 1 : ratio >= 1.35 ? 2 : 3, text };
  }
  const mark = (bullet.exec(text) ?? label.exec(text))?.[0];
  if (mark === undefined) return { kind: 'paragraph', text };
  const indent = (lines[0]?.x ?? left) - left;
  return { kind: 'item', mark: mark.trim(), text: text.slice(mark.length).trim(), indent };
}

type Item = Extract<PdfBlock, { kind: 'item' }>;

/** Indents the items at the head of a column as the list that they continue is, whose column has another left edge. */
export function continueList(before: readonly PdfBlock[], column: readonly PdfBlock[]): void {
  const [first] = column;
  if (first?.kind !== 'item' || before.at(-1)?.kind !== 'item') return;
  const list = before.slice(before.findLastIndex(({ kind }) => kind !== 'item') + 1) as Item[];
  const continued =
    list.findLast(({ mark }) => mark === first.mark || comesNext(mark, first.mark)) ?? (list.at(-1) as Item);
  const shift = continued.indent - first.indent;
  for (const block of column) {
    if (block.kind !== 'item') break;
    block.indent += shift;
  }
}

const isSameList = (before: Item, item: Item): boolean =>
  comesNext(before.mark, item.mark) || (bullet.test(`${before.mark} x`) && bullet.test(`${item.mark} x`));

/** An item, and what is indented below it. */
interface Entry {
  item: Item;
  below: Entry[];
}

/** Points: an item that is indented further than the one before stands below it. */
const deeper = 6;

function nest(items: readonly Item[]): Entry[] {
  const top: Entry[] = [];
  const open: Entry[] = [];
  for (const item of items) {
    while (open.length > 0 && item.indent <= (open.at(-1) as Entry).item.indent + deeper) open.pop();
    const entry = { item, below: [] };
    (open.at(-1)?.below ?? top).push(entry);
    open.push(entry);
  }
  return top;
}

/** Entries, those of one list together. */
function entriesToHtml(entries: readonly Entry[]): string {
  const lists: Entry[][] = [];
  for (const entry of entries) {
    const last = lists.at(-1)?.at(-1);
    if (last !== undefined && isSameList(last.item, entry.item)) lists.at(-1)?.push(entry);
    else lists.push([entry]);
  }
  return lists.map(listToHtml).join('\n');
}

/** Items that follow each other, as one list; letters, and the mark of one alone, stay in the text. */
function listToHtml(entries: readonly Entry[]): string {
  const mark = entries[0]?.item.mark ?? '';
  const [number] = /\d+/.exec(mark) ?? [];
  const isList = entries.length > 1 || sureBullet.test(mark);
  const isMarked = isList && !/[a-z]/.test(mark);
  const parts = entries.map(({ item, below }) => ({
    text: escapeText(isMarked ? item.text : `${item.mark} ${item.text}`),
    below: below.length > 0 ? `\n${entriesToHtml(below)}` : '',
  }));
  if (!isList) return `<p>${parts[0]?.text}</p>${parts[0]?.below}`;
  const start = number === undefined || number === '1' ? '' : ` start="${number}"`;
  const tag = number === undefined ? 'ul' : 'ol';
  return [
    `<${tag}${start}>`,
    ...parts.map(({ text, below }) => `<li>${text}${below}</li>`),
    `</${tag}>`,
  ].join('\n');
}

/** HTML of blocks that follow each other; items that do stand in one list. */
export function blocksToHtml(blocks: readonly PdfBlock[]): string {
  const out: string[] = [];
  let items: Item[] = [];
  const closeList = (): void => {
    if (items.length > 0) out.push(entriesToHtml(nest(items)));
    items = [];
  };
  for (const block of blocks) {
    if (block.kind !== 'item') closeList();
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
