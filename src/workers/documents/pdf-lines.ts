/** A run of text on a PDF page, in points; `y` grows upwards. */
export interface Glyphs {
  text: string;
  x: number;
  y: number;
  width: number;
  size: number;
}

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
}

interface Extent {
  x: number;
  right: number;
}

/** What stands on one height of a column. */
export interface Line {
  segments: Segment[];
  x: number;
  right: number;
  y: number;
  size: number;
}

/** Of any number of values, which arguments of a function are not. */
export const leastOf = (values: readonly number[]): number =>
  values.reduce((least, value) => Math.min(least, value), Infinity);
export const mostOf = (values: readonly number[]): number =>
  values.reduce((most, value) => Math.max(most, value), -Infinity);

/** Of the size: a gap this wide separates words; as wide as the second, cells or columns. */
const wordGap = 0.15;
const cellGap = 1.4;

interface Placed extends Glyphs {
  drawn: number;
}

/** Raised and lowered letters: their size, how far they stand from the line, and from what they belong to. */
const script = { least: 0.45, most: 0.85, rise: 0.6, gap: 0.3 };
/** Letters and digits of those that are raised or lowered together. */
const longestScript = 6;
/** Heights at which something stands behind one run. */
const mostHeights = 20;
/** Points: ends of runs are looked up by squares of this side, and of each the last few. */
const square = 16;
const endsOfSquare = 4;

/** Where a run ends, and the run on whose line it stands. */
interface End {
  run: Glyphs;
  main: Glyphs;
  right: number;
}

const isScriptOf = (run: Glyphs, base: Glyphs, right: number): boolean =>
  run.size >= script.least * base.size &&
  run.size <= script.most * base.size &&
  Math.abs(run.y - base.y) <= script.rise * base.size &&
  Math.abs(run.x - right) <= script.gap * base.size;

/** Ends of runs, by where on the page they are. */
class Ends {
  readonly #squares = new Map<number, End[]>();

  add(end: End): void {
    const at = squareAt(end.right, end.run.y);
    const ends = this.#squares.get(at);
    if (ends === undefined) this.#squares.set(at, [end]);
    else {
      ends.push(end);
      if (ends.length > endsOfSquare) ends.shift();
    }
  }

  /** What a run is raised or lowered behind; null for one that stands on a line of its own. */
  behind(run: Glyphs): End | null {
    for (let dx = -square; dx <= square; dx += square) {
      for (let dy = -square; dy <= square; dy += square) {
        for (const end of this.#squares.get(squareAt(run.x + dx, run.y + dy)) ?? [])
          if (isScriptOf(run, end.main, end.right) || isScriptOf(run, end.run, end.right)) return end;
      }
    }
    return null;
  }
}

const squareAt = (x: number, y: number): number => Math.floor(x / square) * 65_536 + Math.floor(y / square);

/** Runs from the left, raised and lowered ones on the line of the text that they stand behind. */
function onLines(runs: readonly Glyphs[]): Placed[] {
  const ends = new Ends();
  const largest = mostOf(runs.map(({ size }) => size));
  const placed = runs.map((run, drawn) => ({ ...run, drawn })).sort((a, b) => a.x - b.x);
  const groups = new Map<Glyphs, Map<number, Placed[]>>();
  for (const run of placed) {
    const right = run.x + run.width;
    const end = run.size > script.most * largest ? null : ends.behind(run);
    if (run.text.trim() !== '') ends.add({ run, main: end?.main ?? run, right });
    if (end === null) continue;
    const heights = groups.get(end.main) ?? new Map<number, Placed[]>();
    groups.set(end.main, heights);
    const height = Math.round(run.y - end.main.y);
    const group = heights.get(height);
    if (group === undefined) heights.set(height, [run]);
    else group.push(run);
  }
  for (const [main, heights] of groups) {
    if (heights.size > mostHeights) continue;
    const beside = heights.get(0) ?? [];
    for (const group of heights.values())
      if (isScript(group, beside)) for (const run of group) run.y = main.y;
  }
  return placed;
}

/** Not the lines beside a large letter or word: those are long, or stand above others that begin there as well. */
function isScript(group: readonly Glyphs[], beside: readonly Glyphs[]): boolean {
  if (countOf(group.map(({ text }) => text).join(''), /[\p{L}\p{N}]/gu) > longestScript) return false;
  if (group === beside) return true;
  const [x, right] = [leastOf(group.map((run) => run.x)), mostOf(group.map((run) => run.x + run.width))];
  return !beside.some((run) => run.text.trim() !== '' && run.x < right - 1 && run.x + run.width > x + 1);
}

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

function toSegment(runs: readonly Placed[]): Segment {
  const tallest = runs.reduce((best, run) => (run.text.trim() !== '' && run.size > best.size ? run : best));
  const x = leastOf(runs.map((run) => run.x));
  const right = mostOf(runs.map((run) => run.x + run.width));
  return {
    text: joinRuns(runs).replace(/\s+/g, ' ').trim(),
    row: { x, right },
    x,
    right,
    y: tallest.y,
    size: tallest.size,
    drawn: leastOf(runs.map(({ drawn }) => drawn)),
  };
}

const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/gu;
const leftToRight = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Han}\p{N}]/gu;
const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** Whether most of a text is written from right to left. */
const isRightToLeft = (text: string): boolean => countOf(text, rightToLeft) > countOf(text, leftToRight);

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

/** Lines of one column, from above. */
export function toLines(segments: readonly Segment[]): Line[] {
  const lines: Line[] = [];
  for (const segment of segments) {
    const line = lines.at(-1);
    if (line !== undefined && Math.abs(line.y - segment.y) <= 0.4 * Math.max(line.size, segment.size)) {
      line.segments.push(segment);
      line.x = Math.min(line.x, segment.x);
      line.right = Math.max(line.right, segment.right);
      line.size = Math.max(line.size, segment.size);
    } else
      lines.push({
        segments: [segment],
        x: segment.x,
        right: segment.right,
        y: segment.y,
        size: segment.size,
      });
  }
  for (const { segments: own } of lines) own.sort((a, b) => a.x - b.x);
  return lines;
}

export function lineText({ segments }: Line): string {
  const texts = segments.map(({ text }) => text);
  return (isRightToLeft(texts.join('')) ? texts.toReversed() : texts).join(' ');
}
