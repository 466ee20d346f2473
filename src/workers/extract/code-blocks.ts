import { type Document, type Element, isTag } from 'domhandler';
import { adapter } from 'parse5-htmlparser2-tree-adapter';
import {
  codeTags,
  findCodeLines,
  holdsOther,
  isBlank,
  lineHolderOf,
  namesOf,
  otherTags,
  styleOf,
  textOfCodeLines,
} from './code-lines.ts';
import { codeText, looksLikeCode, tidyCode } from './code-text.ts';
import { isSilent } from './element-kinds.ts';
import { walk } from './walk.ts';

/** What may be a block of code by its style. */
const styledTags = new Set(['div', 'p', 'span']);
const lineTags = new Set(['p', 'div', 'section', 'figure']);
const breakTags = new Set(['br', 'div', 'p', 'li']);
const keptSpaces = /(?:^|;)\s*white-space\s*:\s*(?:pre|break-spaces)/i;
const monospace =
  /(?:^|;)\s*font(?:-family)?\s*:[^;]*(?:monospace|courier|consolas|menlo|monaco|lucida console)/i;
const codeName =
  /(?:^|[\s_-])(?:code|code-?(?:area|block|box|content|lines|listing|snippet|view)|highlight(?:er|ed)?|hljs|language|listing|prism|shiki|snippet|source-?code|syntax-?highlighter)(?:[\s_-]|$)/i;

/**
 * Makes code that a page shows without `pre` one: lines of editors and highlighters, `code` with line breaks.
 * @param excluded what is left out of it.
 */
export function replaceCodeBlocks(tree: Document, excluded: ReadonlySet<Element>): void {
  const found: [Element, string][] = [];
  const holders = new Map<Element, Element[]>();
  /** Elements that are looked at already: what stands in them would be so again and again. */
  const within: Record<'code' | 'style' | 'line', Element | null> = { code: null, style: null, line: null };
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
  const readLine = (element: Element): void => {
    const holder = within.line === null ? lineHolderOf(element) : null;
    if (holder === null) return;
    within.line = element;
    const lines = holders.get(holder);
    if (lines === undefined) holders.set(holder, [element]);
    else lines.push(element);
  };
  const leave = (element: Element): void => {
    if (within.code === element) within.code = null;
    if (within.style === element) within.style = null;
    if (within.line === element) within.line = null;
  };
  walk(
    tree,
    (element) => {
      const { name: tag } = element;
      if (tag === 'xmp' || tag === 'listing') element.name = 'pre';
      readLine(element);
      const isRead = element.name === 'pre' || isSilent(tag);
      const text = isRead ? null : readText(element);
      if (!isRead && text === null) return true;
      leave(element);
      if (text !== null) found.push([element, text]);
      return false;
    },
    leave,
    () => undefined,
  );
  const lines = findCodeLines(holders);
  const all = [...found, ...lines.map(({ element, text }): [Element, string] => [element, text])];
  const isLess = takeOutOf(new Set(all.map(([element]) => element)), excluded);
  const linesIn = new Map(lines.map((one) => [one.element, one.lines]));
  for (const [element, text] of all)
    makeCode(element, isLess.has(element) ? textOfRest(element, linesIn.get(element)) : text);
}

/** Takes out what is excluded within code. @returns the code that has lost something. */
function takeOutOf(code: ReadonlySet<Element>, excluded: ReadonlySet<Element>): Set<Element> {
  const changed = new Set<Element>();
  /** Of each element, the code that it stands in. */
  const known = new Map<Element, Element | null>();
  const codeAround = (element: Element): Element | null => {
    const path: Element[] = [];
    let around: Element | null = null;
    for (let up = element.parent; up !== null && isTag(up); up = up.parent) {
      around = code.has(up) ? up : (known.get(up) ?? null);
      if (around !== null || known.has(up)) break;
      path.push(up);
    }
    for (const one of path) known.set(one, around);
    return around;
  };
  for (const element of code.size > 0 ? excluded : []) {
    const around = codeAround(element);
    if (around === null) continue;
    changed.add(around);
    adapter.detachNode(element);
  }
  return changed;
}

/** Of code that is known as such. */
function textOfRest(element: Element, lines: readonly Element[] | undefined): string {
  if (lines !== undefined) return textOfCodeLines(lines.filter(({ parent }) => parent !== null));
  return lineTags.has(element.name) && !monospace.test(styleOf(element))
    ? tidyCode(codeText(element, true))
    : (readLines(element, keptSpaces.test(styleOf(element)))?.text ?? '');
}

function makeCode(element: Element, text: string): void {
  element.name = 'pre';
  element.children = [];
  adapter.insertText(element, text);
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
  return { breaks, text: tidyCode(codeText(element, !keepsSpaces && breaks > 0)) };
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
  // A guess, where the page does not say that spaces count: letters are written in such fonts too, and have links.
  const isCode = keepsSpaces || (looksLikeCode(read.text, 0.5) && !holdsOther(element, false));
  return isCode ? read.text : null;
}

/** Of a block that holds code line by line. */
function textOfLines({ children }: Element): string | null {
  if (!children.some((child) => isTag(child) && child.name === 'br')) return null;
  const parts: string[] = [];
  for (const child of children) {
    if (isTag(child) && child.name === 'br') parts.push('\n');
    else if (isTag(child) && codeTags.has(child.name)) parts.push(codeText(child, true));
    else if (!isBlank(child)) return null;
  }
  const text = tidyCode(parts.join(''));
  return text.includes('\n') ? text : null;
}

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
