import type { Line } from './pdf-lines.ts';
import type { Segment } from './pdf-segments.ts';
import { joinLines } from './pdf-text.ts';

/** So many rows are a table. */
const leastRows = 3;
/** Of the size: starts of cells this close are one column; those of a cell's own lines stand closer below each other. */
const sameColumn = 1.5;
const sameStart = 0.4;
/** Those that tell of a table by themselves stand right below each other. */
const exactly = 0.1;
/** Of the size: lines of a cell are no further apart. */
const cellLeading = 1.5;
/** Of the size: rows are no further apart. */
const rowPitch = 4;
/** What stands before the text of an item, set apart from it. */
const marker = /^(?:[•◦▪■●○‣⁃∙·–—*-]|\(?(?:\d{1,3}|[a-z])[.)])$/;

/** Rows on each side of a line, in which cells begin where its own may; so many of them do. */
const rowsBeside = 6;
const leastAlike = 2;

/**
 * Parts the cells of a table that stand close together: where a narrow gap ends at the beginning of cells of other rows, or
 * rows that follow each other have all their gaps at the same places.
 */
export function partCells(column: readonly Line[]): Line[] {
  const lines = partAlike(column);
  return lines.map((line, at) => {
    if (line.segments.every(({ parts }) => parts === undefined)) return line;
    const rows = lines
      .slice(Math.max(0, at - rowsBeside), at + rowsBeside + 1)
      .filter((row) => row !== line && row.segments.length > 1);
    const isCell = (part: Segment): boolean =>
      rows.filter(({ segments, size }) =>
        segments.slice(1).some((cell) => standsBelow(part, cell, sameStart * size)),
      ).length >= leastAlike;
    return { ...line, segments: line.segments.flatMap((segment) => partSegment(segment, isCell)) };
  });
}

/** What numbers an item, a chapter or a source: such lines are no rows. */
const number = /^[([]?(?:\d{1,3}(?:\.\d{1,3})*|[a-z]|[ivxlc]{1,6})[.)\]:]?$/i;

/**
 * Parts lines without a wide gap that follow each other, so many as make a table, whose narrow gaps are as many and end at
 * the same places.
 */
function partAlike(lines: readonly Line[]): Line[] {
  const parted = lines.map(({ segments }) =>
    segments.flatMap(({ parts, ...one }) => parts?.map((part) => ({ ...part, row: one.row })) ?? [one]),
  );
  const isAlike = (at: number): boolean => {
    const [before, line] = [lines[at - 1] as Line, lines[at] as Line];
    const [above, cells] = [parted[at - 1] as Segment[], parted[at] as Segment[]];
    return (
      line.segments.length === 1 &&
      before.segments.length === 1 &&
      cells.length > 1 &&
      cells.length === above.length &&
      gapAbove(line, before) <= rowPitch &&
      cells.every((cell, n) => standsBelow(cell, above[n] as Segment, exactly * line.size))
    );
  };
  const out = [...lines];
  for (let from = 0, end = 1; from < lines.length; from = end++) {
    while (end < lines.length && isAlike(end)) end++;
    const isTable = parted.slice(from, end).some(([first]) => !isMark(first?.text ?? ''));
    if (end - from < leastRows || !isTable) continue;
    for (let at = from; at < end; at++)
      out[at] = { ...(lines[at] as Line), segments: parted[at] as Segment[] };
  }
  return out;
}

/** A sign alone, as bullets are; of the last two, the letters in fonts of signs. */
const sign = /^(?:[^\p{L}\p{N}]|[Øü])$/u;

const isMark = (text: string): boolean => marker.test(text) || number.test(text) || sign.test(text);

/** Whether two begin alike, or end so where the other is a number. */
const standsBelow = (part: Segment, cell: Segment, most: number): boolean =>
  Math.abs(cell.x - part.x) <= most ||
  (Math.abs(cell.right - part.right) <= most && !/\p{L}/u.test(cell.text));

function partSegment(segment: Segment, isCell: (part: Segment) => boolean): Segment[] {
  const [first, ...rest] = segment.parts ?? [];
  if (first === undefined || !rest.some(isCell)) return [segment];
  const cells = [{ ...first, row: segment.row }];
  for (const part of rest) {
    const last = cells.at(-1) as Segment;
    if (isCell(part)) cells.push({ ...part, row: segment.row });
    else [last.text, last.right] = [`${last.text} ${part.text}`, part.right];
  }
  return cells;
}

/** How many lines from here are a table: cells whose starts stand below each other, and the further lines of these. */
export function tableAt(lines: readonly Line[], at: number): number {
  const first = lines[at];
  if (first === undefined || first.segments.length < 2) return 0;
  if (first.segments.length === 2 && marker.test(first.segments[0]?.text ?? '')) return 0;
  const isSpaced = areRowsSpaced(lines.slice(at, at + linesAsked));
  let rows = 1;
  let end = at + 1;
  for (; end < lines.length; end++) {
    const [before, line] = [lines[end - 1] as Line, lines[end] as Line];
    if (goesOnInCells(line, before, { first, isSpaced })) continue;
    if (
      line.segments.length < 2 ||
      gapAbove(line, before) > rowPitch ||
      !alignsWith(line.segments, first.segments, line.size)
    )
      break;
    rows++;
  }
  return rows >= leastRows ? end - at : 0;
}

/** Lines from the head of a table on, of which two further from the one before tell that its rows are. */
const linesAsked = 24;
const areRowsSpaced = (lines: readonly Line[]): boolean =>
  lines.filter(
    (line, n) => n > 0 && line.segments.length > 1 && gapAbove(line, lines[n - 1] as Line) > cellLeading,
  ).length >= 2;

const gapAbove = (line: Line, before: Line): number => (before.y - line.y) / line.size;

/**
 * Whether a line is the next of cells that are broken: of one but the first, right below it; or, where rows stand further
 * apart than lines, of several that each go on with a sentence.
 */
function goesOnInCells(
  line: Line,
  before: Line,
  { first, isSpaced }: { first: Line; isSpaced: boolean },
): boolean {
  if (gapAbove(line, before) > cellLeading) return false;
  const startsWith = (cell: Segment, other: Segment): boolean =>
    Math.abs(cell.x - other.x) <= sameStart * line.size;
  const [only, ...others] = line.segments as [Segment, ...Segment[]];
  if (others.length === 0) return first.segments.some((cell, n) => n > 0 && startsWith(only, cell));
  return (
    isSpaced &&
    line.segments.every(
      (cell) =>
        /^\p{Ll}/u.test(cell.text) &&
        before.segments.some((above) => startsWith(cell, above) && /\p{L}.*\s/u.test(above.text)),
    )
  );
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
export function toRows(lines: readonly Line[]): string[][] {
  const widest = lines.reduce((best, line) => (line.segments.length > best.segments.length ? line : best));
  const table = { first: lines[0] as Line, isSpaced: areRowsSpaced(lines.slice(0, linesAsked)) };
  const rows: string[][] = [];
  for (const [n, line] of lines.entries()) {
    const isRow = n === 0 || !goesOnInCells(line, lines[n - 1] as Line, table);
    if (isRow) rows.push(widest.segments.map(() => ''));
    const row = rows.at(-1) as string[];
    for (const segment of line.segments) {
      let best = 0;
      for (const [column, other] of widest.segments.entries()) {
        if (distance(segment, other) < distance(segment, widest.segments[best] as Segment)) best = column;
      }
      row[best] = joinLines([row[best] ?? '', segment.text]);
    }
  }
  return rows;
}

const distance = (a: Segment, b: Segment): number =>
  Math.min(Math.abs(a.x - b.x), Math.abs(a.right - b.right), Math.abs(middle(a) - middle(b)));
