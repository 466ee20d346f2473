/** Characters of a text that are looked at. */
export const tableHead = 16_384;
const mostLines = 200;
/** Of lines that have as many cells as the first: a table has a torn one now and then. */
const alikeShare = 0.9;
/** A cell that stands in running text as well. */
const longCell = 40;
/** Those of times within a line (`09:30:10,123`) are no separators. */
const timeComma = /(:\d\d),(?=\d{3}\b)/g;

/**
 * What separates the cells of a text's lines; null where it is no table.
 * @param text its beginning, `tableHead` characters of it at most.
 * @param isWhole where nothing is cut off.
 * @param isLikely where it is prose or a table, and rather a table: two lines are enough, and any number of cells.
 */
export function findSeparator(text: string, isWhole: boolean, isLikely: boolean): string | null {
  if (/^\s*[<{[]/.test(text)) return null;
  const bare = text
    .replace(/^(?:\ufeff|\xef\xbb\xbf)/, '')
    .replace(/"[^"]*"/g, 'quoted')
    .replaceAll(timeComma, '$1');
  const lines = bare
    .split(/\r\n|[\r\n]/)
    .slice(0, isWhole ? undefined : -1)
    .filter((line) => line.trim() !== '')
    .slice(0, mostLines);
  return (
    ['\t', ';', ','].find((one) => {
      const rows = lines.map((line) => line.split(one));
      if (isCode(rows)) return false;
      return isLikely
        ? isTable(rows) || isRagged(rows)
        : isTable(rows) && isNoProse(rows) && isNoText(rows, one);
    }) ?? null
  );
}

type Rows = readonly string[][];

function isTable(rows: Rows): boolean {
  const { length = 0 } = rows[0] ?? [];
  const alike = rows.filter((row) => row.length === length).length;
  return length > 1 && rows.length > 1 && alike >= rows.length * alikeShare;
}

/** Behind a separator of prose stands a space. */
const isSpaced = (rows: Rows): boolean => {
  const behind = rows.flatMap((row) => row.slice(1)).filter((cell) => cell.trim() !== '');
  return behind.filter((cell) => /^ \S/.test(cell)).length * 2 > behind.length;
};

const isRagged = (rows: Rows): boolean =>
  rows.length > 2 && rows.every((row) => row.length > 1) && !isSpaced(rows);

/** Whether most lines end in what would separate cells, or begin with it. */
function isCode(rows: Rows): boolean {
  const isBlank = (cell: string): boolean => cell.trim() === '';
  const count = rows.filter((row) => row.slice(0, 1).every(isBlank) || row.slice(1).every(isBlank)).length;
  return count * 2 > rows.length;
}

/** Lines of prose have few separators, each with a space behind it. */
function isNoProse(rows: Rows): boolean {
  if (rows.length < 3) return false;
  if (!isSpaced(rows)) return true;
  const isShort = (cell: string): boolean => cell.length <= longCell && !/[.!?:]\s*$/.test(cell);
  return rows.every((row) => row.length > 2 && row.every(isShort) && row.at(-1)?.trim() !== '');
}

/** Sentences and commands end so, where the line ends (`Apple Inc.` is a name); a call that a separator cuts in two has half of its brackets in a cell. */
const isDoubtful = (row: readonly string[]): boolean =>
  /[;{}]\s*$/.test(row.at(-1) ?? '') ||
  (row.length > 1 && row.at(-1)?.trim() === '' && /[={}()]/.test(row.join(''))) ||
  /[.!?\u3002]\s*$|\xe3\x80\x82\s*$/.test(row.at(-1) ?? '') ||
  !row.every(isBalanced);

const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;
const isBalanced = (cell: string): boolean =>
  countOf(cell, /\(/g) === countOf(cell, /\)/g) && countOf(cell, /\{/g) === countOf(cell, /\}/g);

/** Two cells are a pair of words, or a number with its thousands, as often as a row: what may be text is text. */
function isNoText(rows: Rows, separator: string): boolean {
  const isQuoted = (row: readonly string[]): boolean =>
    row.every((cell) => /^(?:quoted)+$/.test(cell.trim()));
  if (separator !== '\t' && (rows[0]?.length ?? 0) < 3 && !rows.every(isQuoted)) return false;
  const isNumber = (row: readonly string[]): boolean => /^\s*[-+]?\d{1,3}(?:,\d{3})+\s*$/.test(row.join(','));
  if (separator === ',' && rows.every(isNumber)) return false;
  return rows.filter(isDoubtful).length <= rows.length * (1 - alikeShare);
}
