import { onLines } from './pdf-raised-letters.ts';
import {
  countOf,
  type Glyphs,
  isRightToLeft,
  leastOf,
  leftToRight,
  mostOf,
  type Placed,
} from './pdf-runs.ts';

/** Runs of one line that stand together. */
export interface Segment {
  text: string;
  /** What it was drawn with in one go, over wide gaps: the cells of a row. Columns are drawn after each other. */
  row: Extent;
  x: number;
  right: number;
  y: number;
  size: number;
  /** When it was drawn, among all of the page. */
  drawn?: number;
  /** What stands between gaps that may part cells, left to right; of a text with such gaps. */
  parts?: Segment[];
}

interface Extent {
  x: number;
  right: number;
}

/** Of the size: a gap this wide separates words; as wide as the second, cells or columns. */
const wordGap = 0.15;
const cellGap = 1.4;
/** As wide as this, cells where such begin in other rows too. */
const narrowGap = 0.6;
/** The same in a font whose characters are of one width, which a space between words is nearly as wide as the former. */
const fixedGap = 1.1;

/** Puts runs of about one height together, left to right, split where a wide gap stands. @param runs in the order in which they are drawn. */
export function toSegments(runs: readonly Glyphs[]): Segment[] {
  const rows: Placed[][] = [];
  for (const run of onLines(runs).sort((a, b) => b.y - a.y || a.x - b.x)) {
    const row = rows.at(-1);
    const first = row?.[0];
    if (
      row !== undefined &&
      first !== undefined &&
      Math.abs(first.y - run.y) <= 0.4 * Math.max(first.size, run.size)
    ) {
      row.push(run);
    } else rows.push([run]);
  }
  return rows.flatMap((row) => splitRow(row.sort((a, b) => a.x - b.x)));
}

function splitRow(row: readonly Placed[]): Segment[] {
  const parts: Placed[][] = [];
  /** Of each part, whether it was drawn right after the one before. */
  const joined: boolean[] = [];
  let right = 0;
  let isGap = false;
  for (const run of row) {
    const isBlank = run.text.trim() === '';
    // A gap between cells comes as a space that fills it.
    if (isBlank && run.width > cellGap * run.size) {
      isGap = true;
      continue;
    }
    const last = parts.at(-1)?.at(-1);
    // A heading beside a line of another column is larger than the gap between the two.
    if (last === undefined || run.x - right > cellGap * Math.min(run.size, last.size)) {
      if (isBlank) continue;
      parts.push([run]);
      joined.push(isGap);
      right = run.x + run.width;
    } else {
      parts.at(-1)?.push(run);
      right = Math.max(right, run.x + run.width);
    }
    isGap = false;
  }
  const segments: Segment[] = [];
  for (const [at, runs] of parts.entries()) {
    const segment = toSegment(runs);
    const before = segments.at(-1);
    if (before !== undefined && joined[at] === true) {
      segment.row = before.row;
      segment.row.right = Math.max(segment.row.right, segment.right);
    }
    segments.push(segment);
  }
  return segments;
}

/** A run of the size that most characters have: bullets and initials are larger. */
function mainOf(runs: readonly Placed[]): Placed {
  const bySize = new Map<number, { run: Placed; characters: number }>();
  for (const run of runs) {
    const characters = run.text.replace(/\s+/g, '').length;
    const known = bySize.get(run.size);
    if (known === undefined) bySize.set(run.size, { run, characters });
    else known.characters += characters;
  }
  const sizes = [...bySize.values()];
  return sizes.reduce((most, one) => (one.characters > most.characters ? one : most)).run;
}

function toSegment(runs: readonly Placed[]): Segment {
  const main = mainOf(runs);
  const groups = partAtGaps(runs);
  const x = leastOf(runs.map((run) => run.x));
  const right = mostOf(runs.map((run) => run.x + run.width));
  return {
    text: joinRuns(runs).replace(/\s+/g, ' ').trim(),
    row: { x, right },
    x,
    right,
    y: main.y,
    size: main.size,
    drawn: leastOf(runs.map(({ drawn }) => drawn)),
    ...(groups.length > 1 && { parts: groups.map(toSegment) }),
  };
}

/** Runs, apart where a narrow gap stands, or a space that fills one. */
function partAtGaps(runs: readonly Placed[]): Placed[][] {
  const groups: Placed[][] = [];
  let right = -Infinity;
  for (const run of runs) {
    if (run.text.trim() === '') continue;
    if (run.x - right > (run.isFixed === true ? fixedGap : narrowGap) * run.size) groups.push([run]);
    else groups.at(-1)?.push(run);
    right = Math.max(right, run.x + run.width);
  }
  return isRightToLeft(runs.map(({ text }) => text).join('')) ? [] : groups;
}

/** Runs from left to right as one text, in the order in which they are read. */
function joinRuns(runs: readonly Glyphs[]): string {
  const isReversed = isRightToLeft(runs.map(({ text }) => text).join(''));
  let out = '';
  let last: Glyphs | null = null;
  for (const run of isReversed ? toLogicalOrder(runs) : runs) {
    if (last !== null) {
      const [left, right] = last.x <= run.x ? [last, run] : [run, last];
      const isApart = right.x - (left.x + left.width) > wordGap * run.size;
      if (isApart && !out.endsWith(' ') && !run.text.startsWith(' ')) out += ' ';
    }
    out += run.text;
    last = run;
  }
  // Letters come in the shapes that they have at their places in a word.
  return isReversed ? out.normalize('NFKC') : out;
}

/** From the right, but words and numbers of the other direction as they stand. */
function toLogicalOrder(runs: readonly Glyphs[]): Glyphs[] {
  const ordered: Glyphs[] = [];
  let other: Glyphs[] = [];
  for (const run of runs.toReversed()) {
    if (countOf(run.text, leftToRight) > 0) {
      other.unshift(run);
      continue;
    }
    ordered.push(...other, run);
    other = [];
  }
  return [...ordered, ...other];
}
