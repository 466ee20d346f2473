import { isRightToLeft, leastOf, mostOf } from './pdf-runs.ts';
import type { Segment } from './pdf-segments.ts';

/** Least lines and least share of the width that a column of running text has; of so few that it goes on over its lines. */
const columnLines = 4;
const fewLines = 3;
const fullLine = 0.55;
const deepest = 3;

/** Where a page falls into two columns: the middle of the gap between them, or null. */
function findGutter(segments: readonly Segment[], depth: number): number | null {
  const left = leastOf(segments.map(({ x }) => x));
  const right = mostOf(segments.map((one) => one.right));
  const width = right - left;
  if (segments.length < 2 * fewLines || width <= 0) return null;
  const rows = [...new Set(segments.map(({ row }) => row))];
  let best: { at: number; crossing: number } | null = null;
  for (let step = 25; step <= 75; step++) {
    const at = left + (width * step) / 100;
    const crossing = rows.filter((row) => row.x < at && row.right > at).length;
    if (best === null || crossing < best.crossing) best = { at, crossing };
  }
  if (best === null || best.crossing > rows.length * 0.25) return null;
  const { at } = best;
  const before = segments.filter(({ row }) => row.right <= at);
  const after = segments.filter(({ row }) => row.x >= at);
  const least = areDrawnApart(before, after) && goesOn(before) && goesOn(after) ? fewLines : columnLines;
  // What stands on one side may be two columns itself.
  const isSide = (side: readonly Segment[]): boolean =>
    isColumn(side, least) || (depth < deepest && findGutter(side, depth + 1) !== null);
  return isSide(before) && isSide(after) ? at : null;
}

/** Running text fills its lines; the cells of a table do not. */
function isColumn(segments: readonly Segment[], least: number): boolean {
  if (segments.length < least) return false;
  const width = mostOf(segments.map((one) => one.right)) - leastOf(segments.map(({ x }) => x));
  const full = segments.filter((one) => one.right - one.x > width * fullLine && one.text.length > 12).length;
  return full >= Math.max(least - 1, segments.length * 0.45);
}

/** Columns are drawn one after the other, and rows of a table one below the other. */
function areDrawnApart(one: readonly Segment[], other: readonly Segment[]): boolean {
  const ends = [one, other].map((side) => side.map(({ drawn = 0 }) => drawn));
  const [[a, b], [c, d]] = ends.map((drawn) => [leastOf(drawn), mostOf(drawn)]) as [
    [number, number],
    [number, number],
  ];
  return b < c || d < a;
}

/** Whether a sentence goes on from one line to the next. */
const goesOn = (segments: readonly Segment[]): boolean =>
  segments.slice(1).some(({ text }, n) => /^\p{Ll}/u.test(text) && !/[.!?:;]$/.test(segments[n]?.text ?? ''));

/** Segments in the order in which they are read: column after column between what spans them. */
export function toReadingOrder(segments: readonly Segment[], depth = 0): Segment[][] {
  const gutter = depth < deepest ? findGutter(segments, depth) : null;
  if (gutter === null) return segments.length === 0 ? [] : [[...segments]];
  const spans = ({ row }: Segment): boolean => row.x < gutter && row.right > gutter;
  const columns: Segment[][] = [];
  let band: Segment[] = [];
  const closeBand = (): void => {
    const sides = [band.filter((one) => one.right <= gutter), band.filter((one) => one.x >= gutter)];
    if (isRightToLeft(band.map(({ text }) => text).join(''))) sides.reverse();
    for (const side of sides) columns.push(...toReadingOrder(side, depth + 1));
    band = [];
  };
  for (const segment of segments) {
    if (spans(segment)) {
      closeBand();
      const before = columns.at(-1);
      // Lines that span both follow each other as one column.
      if (before?.every(spans) === true) before.push(segment);
      else columns.push([segment]);
    } else band.push(segment);
  }
  closeBand();
  return columns;
}
