import { type Line, lineText } from './pdf-lines.ts';
import { leastOf } from './pdf-runs.ts';

/** So many lines in a font for code are some. */
const leastLines = 2;
/** Of the size: lines of code are no further apart, an empty one between them included. */
const furthest = 3;

/** Of an indent, in characters. */
const longestIndent = 100;
/** All characters of these scripts are of one width in many fonts. */
const eastern = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

const isCodeLine = ({ segments }: Line): boolean =>
  segments.every(({ isFixed, text }) => isFixed === true && !eastern.test(text));

/**
 * How many lines from here are code: of one size, in a font whose characters are all of one width.
 * @param mostSize in points: what is larger is a heading.
 */
export function codeAt(lines: readonly Line[], at: number, mostSize: number): number {
  let end = at;
  for (; end < lines.length; end++) {
    const [before, line] = [lines[end - 1], lines[end] as Line];
    if (!isCodeLine(line) || line.size >= mostSize) break;
    if (end === at || before === undefined) continue;
    const gap = (before.y - line.y) / line.size;
    if (gap <= 0 || gap > furthest || Math.abs(before.size - line.size) > 0.5) break;
  }
  return end - at < leastLines ? 0 : end - at;
}

/** Lines of code as one text, indented as they are drawn. */
export function toCode(lines: readonly Line[]): string {
  const left = leastOf(lines.map(({ x }) => x));
  const leading = leastOf(lines.slice(1).map((line, n) => (lines[n] as Line).y - line.y));
  return lines
    .map((line, n) => {
      const text = lineText(line);
      const before = lines[n - 1];
      const empty = before === undefined ? 0 : Math.round((before.y - line.y) / leading) - 1;
      const indent = Math.round(((line.x - left) * text.length) / Math.max(1, line.right - line.x));
      const spaces = Math.min(indent, longestIndent);
      return `${'\n'.repeat(empty)}${' '.repeat(spaces)}${text}`;
    })
    .join('\n');
}
