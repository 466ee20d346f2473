import { type Line, lineText } from './pdf-lines.ts';

export interface Page {
  number: number;
  /** Columns in the order in which they are read, each from above. */
  columns: Line[][];
}

/** Of pages: a line at the same edge of this many is a running head or foot. */
const runningShare = 0.4;
const runningLeast = 3;
/** A page of so few lines, such as a slide or a ticket, does not tell which of them are heads. */
const fewLines = 5;
/** Characters; a longer one is no head. */
const longestHead = 300;

/** Takes out running heads and feet and page numbers, of pages that have more than these. */
export function dropRunningLines(pages: readonly Page[]): void {
  const all = pages.map((page) => ({
    page,
    edges: edgesOf(page),
    isLong: page.columns.flat().length > fewLines,
  }));
  const long = all.filter(({ isLong }) => isLong);
  const counts = new Map<string, number>();
  for (const { page, edges } of long) {
    for (const key of new Set(edges.flatMap((line) => keysOf(line, page.number)))) {
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  const least = Math.max(runningLeast, long.length * runningShare);
  for (const { page, edges, isLong } of all) {
    const isRunning = (line: Line): boolean =>
      (isLong && isPageNumber(line, page.number)) ||
      keysOf(line, page.number).some((key) => (counts.get(key) ?? 0) >= least);
    const gone = new Set(edges.filter(isRunning));
    const kept = page.columns.map((lines) => lines.filter((line) => !gone.has(line)));
    if (kept.some((lines) => lines.length > 0)) page.columns = kept.filter((lines) => lines.length > 0);
  }
}

/** The two lines at the head and the two at the foot. */
function edgesOf({ columns }: Page): Line[] {
  const lines = columns.flat().sort((a, b) => b.y - a.y);
  return [...new Set([...lines.slice(0, 2), ...lines.slice(-2)])];
}

/** What a line has in common with those of other pages: its text, one of its numbers as the distance from the page's. */
function keysOf(line: Line, page: number): string[] {
  const [text, place] = [lineText(line), Math.round(line.y / 6)];
  if (text.length > longestHead) return [];
  const counted = [...text.matchAll(/\d+/g)].map(
    ({ 0: digits, index }) =>
      `${text.slice(0, index)}#${Number(digits) - page}#${text.slice(index + digits.length)} ${place}`,
  );
  return [`${text} ${place}`, ...counted];
}

function isPageNumber(line: Line, number: number): boolean {
  const text = lineText(line).trim();
  return new RegExp(
    `^(?:[-–—|] ?)?(?:page |seite |p\\. ?)?${number}(?: ?(?:/|of|von) ?\\d+)?(?: ?[-–—|])?$`,
    'i',
  ).test(text);
}
