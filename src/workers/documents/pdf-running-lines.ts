import { type Line, lineText } from './pdf-lines.ts';
import { tableAt } from './pdf-tables.ts';

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

/** Of the size: what stands between a head or foot and the text. */
const apart = 1.5;
/** Of the size of most lines: a larger one is a heading, which pages of one form repeat as well. */
const largestHead = 1.12;

const noPages: ReadonlySet<number> = new Set();

interface Edged {
  page: Page;
  /** From above, of all columns. */
  lines: Line[];
  edges: Line[];
  isLong: boolean;
}

/**
 * Takes out running heads and feet and page numbers, of pages that have more than these: lines that many pages have at the
 * same place, and those of a part of the document that pages near each other have there.
 */
export function dropRunningLines(pages: readonly Page[]): void {
  const all = pages.map(edgesOf);
  const long = all.filter(({ isLong }) => isLong);
  const places = new Map<string, Set<number>>();
  for (const { page, edges } of long) {
    for (const key of edges.flatMap((line) => keysOf(line, page.number)))
      places.set(key, (places.get(key) ?? new Set<number>()).add(page.number));
  }
  /** Pages that have a line set apart at a height, whatever it says. */
  const heads = new Map<number, Set<number>>();
  for (const one of long) {
    for (const line of one.edges)
      if (isSetApart(line, one))
        heads.set(heightOf(line), (heads.get(heightOf(line)) ?? new Set<number>()).add(one.page.number));
  }
  const least = Math.max(runningLeast, long.length * runningShare);
  for (const one of all) {
    const { page, edges, isLong } = one;
    const isRunning = (line: Line): boolean => {
      const number = labelOf(line);
      // A chapter is called I, a page i.
      if (isLong && number === page.number && !/[IVXLC]/.test(lineText(line).trim())) return true;
      const [own, ...counted] = keysOf(line, page.number).map((key) => places.get(key) ?? noPages);
      if (isHeadOfTable(line, page)) return false;
      if ([own, ...counted].some((on) => on !== undefined && on.size >= least)) return true;
      if (!isLong || own === undefined || !isSetApart(line, one)) return false;
      if (number !== null)
        return counted.some((on) => isCounted(on, page.number) || (on.size === long.length && on.size > 1));
      // A heading may be on pages near each other as well, but other pages have none at its place.
      const isPlaceOfHeads = (heads.get(heightOf(line))?.size ?? 0) >= least;
      return isPlaceOfHeads && [own, ...counted].some((on) => isOfPart(on, page.number));
    };
    const gone = new Set(edges.filter(isRunning));
    const kept = page.columns.map((column) => column.filter((line) => !gone.has(line)));
    if (kept.some((column) => column.length > 0)) page.columns = kept.filter((column) => column.length > 0);
  }
}

/** The two lines at the head and the two at the foot. */
function edgesOf(page: Page): Edged {
  const lines = page.columns.flat().sort((a, b) => b.y - a.y);
  const edges = [...new Set([...lines.slice(0, 2), ...lines.slice(-2)])];
  return { page, lines, edges, isLong: lines.length > fewLines };
}

/** Whether rows of cells stand below it: a table that goes on over pages has its head on each. */
function isHeadOfTable(line: Line, { columns }: Page): boolean {
  if (line.segments.length < 2) return false;
  const column = columns.find((lines) => lines.includes(line)) ?? [];
  return tableAt(column, column.indexOf(line)) > 0;
}

/** Heads of a part stand on pages of one side at least: two such are a beginning, those between belong to them. */
const isOfPart = (on: ReadonlySet<number>, page: number): boolean =>
  on.has(page - 2) || on.has(page + 2) || (on.has(page - 1) && on.has(page + 1));

/** Whether three pages that follow one another, this one among them, have it. */
const isCounted = (on: ReadonlySet<number>, page: number): boolean =>
  [-2, -1, 0].some((from) => [0, 1, 2].every((at) => on.has(page + from + at)));

/** Whether a line is as small as the text and stands away from it, alone or with the one between it and the edge. */
function isSetApart(line: Line, { lines }: Edged): boolean {
  const sizes = lines.map(({ size }) => size).sort((a, b) => a - b);
  if (line.size > largestHead * (sizes[Math.floor(sizes.length / 2)] ?? line.size)) return false;
  // A row of cells is the head of a table that goes on.
  if (line.segments.length > 1 && !/\d/.test(lineText(line))) return false;
  const at = lines.indexOf(line);
  const [edge, inward] = at < 2 ? [at, 1] : [lines.length - 1 - at, -1];
  return [at, ...(edge === 0 ? [at + inward] : [])].some((from) => {
    const [one, next] = [lines[from], lines[from + inward]];
    return one !== undefined && next !== undefined && Math.abs(one.y - next.y) > apart * one.size;
  });
}

const romans: Record<string, number> = { i: 1, v: 5, x: 10, l: 50, c: 100 };
const roman = String.raw`(?:x[cl]|l?x{0,3})(?:i[xv]|v?i{0,3})`;
const numeral = new RegExp(`^(?:${roman})$`, 'i');

/** Arabic, or Roman below 90; null for anything else. */
function readNumber(text: string): number | null {
  if (/^\d+$/.test(text)) return Number(text);
  if (text === '' || !numeral.test(text)) return null;
  const values = [...text.toLowerCase()].map((letter) => romans[letter] ?? 0);
  return values.reduce((sum, value, at) => sum + (value < (values[at + 1] ?? 0) ? -value : value), 0);
}

/** Heights that are about the same are one. */
const heightOf = ({ y }: Line): number => Math.round(y / 6);

/** What a line has in common with those of other pages: its text, one of its numbers as the distance from the page's. */
function keysOf(line: Line, page: number): string[] {
  const [text, place] = [lineText(line), heightOf(line)];
  if (text.length > longestHead) return [];
  const counted = [...text.matchAll(/\d+|^[ivxlc]+\b|\b[ivxlc]+$/gi)].flatMap(({ 0: digits, index }) => {
    const number = readNumber(digits);
    if (number === null) return [];
    return [`${text.slice(0, index)}#${number - page}#${text.slice(index + digits.length)} ${place}`];
  });
  return [`${text} ${place}`, ...counted];
}

/** The number that a line says and nothing else; null for any other line. */
function labelOf(line: Line): number | null {
  const [, number = ''] =
    /^(?:[-–—|] ?)?(?:page |seite |p\. ?)?(\d+|[ivxlc]+)(?: ?(?:\/|of|von) ?\d+)?(?: ?[-–—|])?$/i.exec(
      lineText(line).trim(),
    ) ?? [];
  return readNumber(number);
}
