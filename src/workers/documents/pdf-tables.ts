import type { Line } from './pdf-lines.ts';
import type { Segment } from './pdf-segments.ts';
import { joinLines } from './pdf-text.ts';

/** So many rows are a table. */
const leastRows = 3;
/** Of the size: starts of cells this close are one column; those of a cell's own lines stand closer below each other. */
const sameColumn = 1.5;
const sameStart = 0.4;
/** Of the size: lines of a cell are no further apart. */
const cellLeading = 1.5;
/** What stands before the text of an item, set apart from it. */
const marker = /^(?:[•◦▪■●○‣⁃∙·–—*-]|\(?(?:\d{1,3}|[a-z])[.)])$/;

/** Rows on each side of a line, in which cells begin where its own may; so many of them do. */
const rowsBeside = 6;
const leastAlike = 2;

/** Parts the cells of a table that stand close together: where a narrow gap ends at the beginning of cells of other rows. */
export function partCells(lines: readonly Line[]): Line[] {
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
  let rows = 1;
  let end = at + 1;
  for (; end < lines.length; end++) {
    const [before, line] = [lines[end - 1] as Line, lines[end] as Line];
    if (goesOnInCells(line, before, first)) continue;
    const gap = (before.y - line.y) / line.size;
    if (line.segments.length < 2 || gap > 4 || !alignsWith(line.segments, first.segments, line.size)) break;
    rows++;
  }
  return rows >= leastRows ? end - at : 0;
}

/** Whether a line is the next of cells that are broken: of one but the first, right below it. */
function goesOnInCells(line: Line, before: Line, first: Line): boolean {
  const gap = (before.y - line.y) / line.size;
  if (gap > cellLeading || line.segments.length !== 1) return false;
  const [only] = line.segments as [Segment];
  return first.segments.some((cell, n) => n > 0 && Math.abs(only.x - cell.x) <= sameStart * line.size);
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
  const first = lines[0] as Line;
  const rows: string[][] = [];
  for (const [n, line] of lines.entries()) {
    const isRow = n === 0 || !goesOnInCells(line, lines[n - 1] as Line, first);
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
