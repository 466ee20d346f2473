import { countOf, type Glyphs, leastOf, mostOf, type Placed } from './pdf-runs.ts';

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
export function onLines(runs: readonly Glyphs[]): Placed[] {
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
