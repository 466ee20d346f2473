import { type Element, isTag, isText } from 'domhandler';
import { blockTags, isSilent } from './element-kinds.ts';
import { walk } from './walk.ts';

const lineNumbers = /(?:^|[\s_-])(?:gutter|line-?numbers?|linenos?|ln-numbers)(?:\s|$)|(?:^|\s)lnt?(?:\s|$)/i;
const copyButton = /\b(?:copy|clipboard)\b/i;

/** Line numbers and what copies the code. The code itself, and words of it, may have such names too. */
function isAmidCode({ name: tag, attribs }: Element): boolean {
  const names = attribs['class']?.slice(0, 300) ?? '';
  if (names === '' || tag === 'code') return false;
  return lineNumbers.test(names) || (tag !== 'span' && copyButton.test(names));
}

/** As HTML shows it, where its line breaks are spaces. @param isFresh whether it begins a line. */
function joinLines(data: string, isFresh: boolean): string {
  const lines = data.split(/\r\n?|\n/);
  if (lines.length === 1) return data;
  const shown = lines.filter(isInked);
  if (shown.length === 0) return isFresh ? (lines.at(-1) ?? '') : ' ';
  const text = shown
    .map((line, at) => (at === 0 && isFresh ? line : line.replace(/^[ \t\f]+/, '')))
    .join(' ');
  const before = isFresh || isInked(lines[0] ?? '') ? '' : ' ';
  return before + text + (isInked(lines.at(-1) ?? '') ? '' : ' ');
}
const isInked = (line: string): boolean => /[^ \t\f]/.test(line);

const lineStyle = /(?:^|;)\s*display\s*:\s*(?:block|flex|grid|table-row)/i;
/** As `code-line` and `line`, in a class. */
const lineClass = /(?:^|[\s_-])line(?:\s|$)/i;

const lineNumber = ({ attribs }: Element): string =>
  attribs['data-line'] || attribs['data-line-number'] || '';
const isLine = (element: Element): boolean => lineNumber(element) !== '' || looksLikeLine(element);
const looksLikeLine = ({ attribs }: Element): boolean =>
  lineStyle.test(attribs['style']?.slice(0, 300) ?? '') ||
  lineClass.test(attribs['class']?.slice(0, 300) ?? '');

/** The elements that a style sheet alone makes lines of: nothing stands between them, nor any line break in the code. */
function linesOf(pre: Element): ReadonlySet<Element> {
  const inside = (element: Element): Element[] => element.children.filter((child) => isTag(child));
  const [only, ...others] = inside(pre);
  const holder = only !== undefined && others.length === 0 ? only : pre;
  const lines = inside(holder);
  const numbers = lines.map(lineNumber).filter((number) => number !== '');
  const areLines =
    lines.length > 1 &&
    lines.every((line) => !blockTags.has(line.name) && isLine(line)) &&
    new Set(numbers).size === numbers.length &&
    !holder.children.some(isText);
  if (!areLines) return new Set();
  let isBroken = false;
  walk(
    holder,
    ({ name }) => !(isBroken ||= name === 'br'),
    () => undefined,
    ({ data }) => void (isBroken ||= data.includes('\n')),
  );
  return isBroken ? new Set() : new Set(lines);
}

/**
 * The text of code: a line for each element that makes one, without line numbers and buttons.
 * @param hasBreaks whether breaks of the page alone make its lines, not those of the HTML.
 */
export function codeText(pre: Element, hasBreaks = false): string {
  const parts: string[] = [];
  const breakLine = (): void => {
    const last = parts.at(-1);
    if (last !== undefined && !last.endsWith('\n')) parts.push('\n');
  };
  const lines = pre.name === 'pre' ? linesOf(pre) : new Set<Element>();
  walk(
    pre,
    (element) => {
      const { name: tag } = element;
      if (tag === 'br') parts.push('\n');
      if (tag === 'button' || isSilent(tag) || tag === 'br') return false;
      if (element !== pre && isAmidCode(element)) return false;
      if (element !== pre && blockTags.has(tag) && tag !== 'td') breakLine();
      return true;
    },
    (element) => {
      if (lines.has(element)) parts.push('\n');
      if (element !== pre && blockTags.has(element.name) && element.name !== 'td') breakLine();
    },
    ({ data }) => void parts.push(hasBreaks ? joinLines(data, parts.at(-1)?.endsWith('\n') ?? true) : data),
  );
  const text = parts.join('');
  // Spaces that cannot break are how HTML keeps those of code.
  return pre.name === 'pre' ? text.replaceAll('\u00a0', ' ') : text;
}

/** Without the look of code in HTML: spaces that cannot break, characters of no width, a common indentation. */
export function tidyCode(text: string): string {
  const all = text
    .replace(/\u00a0/g, ' ')
    .replace(/[\u200b\ufeff]/g, '')
    .split('\n')
    .map((line) => line.trimEnd());
  const first = all.findIndex((line) => line !== '');
  const lines = all.slice(Math.max(0, first), all.findLastIndex((line) => line !== '') + 1);
  const indents = lines.filter((line) => line !== '').map((line) => line.search(/\S/));
  const common = indents.reduce((least, indent) => Math.min(least, indent), Infinity);
  return lines.map((line) => line.slice(common)).join('\n');
}

/** What lines of code have, and lines of prose seldom. */
const codeSign = /^(?: {2}|\t)\s*\S|[;{}()[\]>\\]$|\w ?[=!<>]?= ?\S|\w\(|^(?:[$#>]|\/\/|--) /;

/** @param least share of its lines that have a sign of code. */
export function looksLikeCode(text: string, least: number): boolean {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.filter((line) => codeSign.test(line)).length >= Math.max(1, lines.length * least);
}
