import { type ChildNode, type Document, type Element, isTag, isText } from 'domhandler';
import { adapter } from 'parse5-htmlparser2-tree-adapter';
import { codeText } from './code-text.ts';
import { isSilent } from './element-kinds.ts';
import { walk } from './walk.ts';

const codeTags = new Set(['code', 'samp', 'tt']);
/** What may be a block of code by its style. */
const styledTags = new Set(['div', 'p', 'span']);
const lineTags = new Set(['p', 'div', 'section', 'figure']);
/** Tags of which none stands in code. */
const otherTags = /^(?:pre|table|h[1-6]|img|video|iframe|ul|ol|dl|blockquote|article|main)$/;
const breakTags = new Set(['br', 'div', 'p', 'li']);
const keptSpaces = /(?:^|;)\s*white-space\s*:\s*(?:pre|break-spaces)/i;
const monospace =
  /(?:^|;)\s*font(?:-family)?\s*:[^;]*(?:monospace|courier|consolas|menlo|monaco|lucida console)/i;
/** Of a line of code, and of verse and addresses too. */
const lineName = /(?:^|[\s_-])line(?:\s|$)/i;
/** What holds the lines of editors and of Doxygen. */
const lineHolder = /(?:^|\s)(?:view-lines|CodeMirror-code|cm-content|ace_text-layer|fragment)(?:\s|$)/;
const editor = /(?:^|\s)(?:monaco-editor|CodeMirror|cm-editor|ace_editor)(?:\s|$)/;
const codeName =
  /(?:^|[\s_-])(?:code|code-?(?:area|block|box|content|lines|listing|snippet|view)|highlight(?:er|ed)?|hljs|language|listing|prism|shiki|snippet|source-?code|syntax-?highlighter)(?:[\s_-]|$)/i;
/** What lines of code have, and lines of prose seldom. */
const codeSign = /^(?: {2}|\t)\s*\S|[;{}()[\]>\\]$|\w ?[=!<>]?= ?\S|\w\(|^(?:[$#>]|\/\/|--) /;
const farthestHolder = 4;
const farthestEditor = 12;

const namesOf = ({ attribs }: Element): string => attribs['class']?.slice(0, 300) ?? '';
const styleOf = ({ attribs }: Element): string => attribs['style']?.slice(0, 1_000) ?? '';

/** Makes code that a page shows without `pre` one: lines of editors and highlighters, `code` with line breaks. */
export function replaceCodeBlocks(tree: Document): void {
  const found: [Element, string][] = [];
  const lines: Element[] = [];
  /** Elements that are looked at already: what stands in them would be so again and again. */
  const within: Record<'code' | 'style', Element | null> = { code: null, style: null };
  const readText = (element: Element): string | null => {
    const { name: tag } = element;
    const style = styleOf(element);
    if (codeTags.has(tag)) {
      if (within.code !== null) return null;
      within.code = element;
      return textOfCode(element, keptSpaces.test(style));
    }
    if (within.style === null && styledTags.has(tag) && monospace.test(style)) {
      within.style = element;
      return textOfStyled(element, keptSpaces.test(style));
    }
    return lineTags.has(tag) ? textOfLines(element) : null;
  };
  const leave = (element: Element): void => {
    if (within.code === element) within.code = null;
    if (within.style === element) within.style = null;
  };
  walk(
    tree,
    (element) => {
      const { name: tag } = element;
      if (tag === 'xmp' || tag === 'listing') element.name = 'pre';
      if (lineName.test(namesOf(element))) lines.push(element);
      if (element.name === 'pre' || isSilent(tag)) return false;
      const text = readText(element);
      if (text === null) return true;
      leave(element);
      found.push([element, text]);
      return false;
    },
    leave,
    () => undefined,
  );
  for (const [element, text] of found) makeCode(element, text);
  replaceLines(lines);
}

function makeCode(element: Element, text: string): void {
  element.name = 'pre';
  element.children = [];
  adapter.insertText(element, text);
}

/** Without the look of code in HTML: spaces that cannot break, characters of no width, a common indentation. */
function tidy(text: string): string {
  const lines = text
    .replace(/\u00a0/g, ' ')
    .replace(/[\u200b\ufeff]/g, '')
    .split('\n')
    .map((line) => line.trimEnd());
  while (lines[0] === '') lines.shift();
  while (lines.at(-1) === '') lines.pop();
  const indents = lines.filter((line) => line !== '').map((line) => line.search(/\S/));
  const common = indents.reduce((least, indent) => Math.min(least, indent), Infinity);
  return lines.map((line) => line.slice(common)).join('\n');
}

/** Its lines as breaks and blocks make them, where those of the HTML are none; null where it holds more than code. */
function readLines(element: Element, keepsSpaces: boolean): { text: string; breaks: number } | null {
  let [breaks, isCode] = [0, true];
  walk(
    element,
    ({ name }) => {
      isCode &&= !otherTags.test(name);
      if (breakTags.has(name)) breaks++;
      return isCode;
    },
    () => undefined,
    () => undefined,
  );
  if (!isCode) return null;
  return { breaks, text: tidy(codeText(element, !keepsSpaces && breaks > 0)) };
}

function textOfCode(element: Element, keepsSpaces: boolean): string | null {
  const read = readLines(element, keepsSpaces);
  if (read === null || !read.text.includes('\n')) return null;
  const isBlock = read.breaks > 0 || keepsSpaces || (isNamed(element) && isAlone(element));
  return isBlock ? read.text : null;
}

function textOfStyled(element: Element, keepsSpaces: boolean): string | null {
  const read = readLines(element, keepsSpaces);
  if (read === null || !read.text.includes('\n')) return null;
  return keepsSpaces || looksLikeCode(read.text, 0.5) ? read.text : null;
}

/** Of a block that holds code line by line. */
function textOfLines({ children }: Element): string | null {
  if (!children.some((child) => isTag(child) && child.name === 'br')) return null;
  const parts: string[] = [];
  for (const child of children) {
    if (isTag(child) && child.name === 'br') parts.push('\n');
    else if (isTag(child) && codeTags.has(child.name)) parts.push(codeText(child).replace(/\s*\n\s*/g, ' '));
    else if (!isBlank(child)) return null;
  }
  const text = tidy(parts.join(''));
  return text.includes('\n') ? text : null;
}

const isBlank = (node: ChildNode): boolean => isText(node) && node.data.trim() === '';

function isNamed(element: Element): boolean {
  const { parent } = element;
  return (
    codeName.test(namesOf(element)) || (parent !== null && isTag(parent) && codeName.test(namesOf(parent)))
  );
}

/** Whether nothing else stands in its parent. */
const isAlone = ({ prev, next }: Element): boolean =>
  (prev === null || (isBlank(prev) && prev.prev === null)) &&
  (next === null || (isBlank(next) && next.next === null));

/** @param least share of its lines that have a sign of code. */
function looksLikeCode(text: string, least: number): boolean {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.filter((line) => codeSign.test(line)).length >= Math.max(1, lines.length * least);
}

function replaceLines(lines: readonly Element[]): void {
  const holders = new Map<Element, Element[]>();
  for (const line of lines) {
    const holder = holderOf(line);
    if (holder === null) continue;
    const own = holders.get(holder);
    if (own === undefined) holders.set(holder, [line]);
    else own.push(line);
  }
  const done = new Set<Element>();
  for (const [holder, own] of holders) {
    const isSure = lineHolder.test(namesOf(holder));
    if (!isSure && !holdsOnly(holder, new Set<ChildNode>(own))) continue;
    const text = tidy(
      inOrder(own)
        .map((line) => codeText(line).replace(/\n$/, ''))
        .join('\n'),
    );
    const shown = isSure ? editorOf(holder) : holder;
    if (text === '' || done.has(shown) || !(isSure || looksLikeCode(text, 0))) continue;
    done.add(shown);
    makeCode(shown, text);
  }
}

/** What holds a line, if that is one of code. */
function holderOf({ parent }: Element): Element | null {
  let up = parent;
  for (let n = 0; n < farthestHolder && up !== null && isTag(up); n++, up = up.parent) {
    if (lineHolder.test(namesOf(up))) return up;
    if (lineName.test(namesOf(up))) return null;
  }
  if (parent === null || !isTag(parent)) return null;
  return codeTags.has(parent.name) || isNamed(parent) ? parent : null;
}

const holdsOnly = ({ children }: Element, lines: ReadonlySet<ChildNode>): boolean =>
  children.every((child) => lines.has(child) || isBlank(child) || (isTag(child) && child.name === 'button'));

/** The editor around its lines, which shows their numbers beside them. */
function editorOf(holder: Element): Element {
  let up: Element['parent'] = holder;
  for (let n = 0; n < farthestEditor && up !== null && isTag(up); n++, up = up.parent)
    if (editor.test(namesOf(up))) return up;
  return holder;
}

/** Editors that show a part of their lines place them by their tops, in any order. */
function inOrder(lines: readonly Element[]): readonly Element[] {
  const tops = new Map(
    lines.map((line) => [line, /(?:^|;)\s*top\s*:\s*(-?\d+)/i.exec(styleOf(line))?.[1] ?? null]),
  );
  if ([...tops.values()].includes(null)) return lines;
  return lines.toSorted((a, b) => Number(tops.get(a)) - Number(tops.get(b)));
}
