import { type ChildNode, type Element, isTag, isText } from 'domhandler';
import { codeText, looksLikeCode, tidyCode } from './code-text.ts';
import { isHidden, isSilent } from './element-kinds.ts';
import { walk } from './walk.ts';

export const codeTags: ReadonlySet<string> = new Set(['code', 'samp', 'tt']);
/** Tags of which none stands in code. */
export const otherTags = /^(?:pre|table|h[1-6]|img|video|iframe|ul|ol|dl|blockquote|article|main)$/;
/** Of a line of code, and of verse and addresses too. */
const lineName = /(?:^|[\s_-])line(?:\s|$)/i;
/** What holds the lines of editors. */
const editorLines = /(?:^|\s)(?:view-lines|CodeMirror-code|cm-content|ace_text-layer)(?:\s|$)/;
const editor = /(?:^|\s)(?:monaco-editor|CodeMirror|cm-editor|ace_editor)(?:\s|$)/;
/** What an editor has beside its lines. */
const editorParts = /[gG]utter|margin|measure|line-?number|Widgets|tooltip|announced/;
/** What holds the lines of Doxygen, and what comes up on a slide. */
const fragment = /(?:^|\s)fragment(?:\s|$)/;
const fragmentLine = /(?:^|\s)line(?:\s|$)/;
/** Boxes that Doxygen shows at names. */
const fragmentParts = /(?:^|\s)ttc(?:\s|$)/;
const doxygenNames =
  /^(?:lineno|code|comment|preprocessor|keyword(?:type|flow)?|stringliteral|charliteral)(?:\s|$)/;
/** Of what holds code alone: goods are highlighted and listed too. */
const codeHolder =
  /(?:^|[\s_-])(?:code|code-?(?:area|block|box|content|lines|listing|snippet|view)|highlighter|hljs|prism|shiki|source-?code|syntax-?highlighter)(?:[\s_-]|$)/i;
const farthestHolder = 4;
const farthestEditor = 12;

export const namesOf = ({ attribs }: Element): string => attribs['class']?.slice(0, 300) ?? '';
export const styleOf = ({ attribs }: Element): string => attribs['style']?.slice(0, 1_000) ?? '';
export const isBlank = (node: ChildNode): boolean => isText(node) && node.data.trim() === '';

/** What holds this element, if that is named as a line, and may be one of code. */
export function lineHolderOf(element: Element): Element | null {
  const { parent } = element;
  if (!lineName.test(namesOf(element)) || parent === null || !isTag(parent)) return null;
  let inFragment: Element | null = null;
  let up: Element['parent'] = parent;
  for (let n = 0; n < farthestHolder && up !== null && isTag(up); n++, up = up.parent) {
    const names = namesOf(up);
    if (editorLines.test(names)) return up;
    if (lineName.test(names)) return null;
    if (fragment.test(names)) inFragment ??= up;
  }
  const { parent: around } = parent;
  const isNamed = (one: Element['parent']): boolean =>
    one !== null && isTag(one) && codeHolder.test(namesOf(one));
  return codeTags.has(parent.name) || isNamed(parent) || isNamed(around) ? parent : inFragment;
}

/** What shows code line by line. */
export interface CodeLines {
  element: Element;
  lines: readonly Element[];
  text: string;
}

export const textOfCodeLines = (lines: readonly Element[]): string =>
  tidyCode(
    inOrder(lines)
      .map((line) => codeText(line).replace(/\n$/, ''))
      .join('\n'),
  );

/**
 * What shows code line by line, each with its text. Nothing of it is code where it shows anything else.
 * @param holders of lines, with their lines in the order of the page.
 */
export function findCodeLines(holders: ReadonlyMap<Element, readonly Element[]>): CodeLines[] {
  const found: CodeLines[] = [];
  const editors = new Map<Element, number>();
  for (const holder of holders.keys()) {
    const around = editorOf(holder);
    if (around !== null) editors.set(around, (editors.get(around) ?? 0) + 1);
  }
  for (const [holder, lines] of holders) {
    const text = textOfCodeLines(lines);
    if (text === '' || !isCode(holder, lines, text)) continue;
    // An editor shows numbers beside its lines.
    const around = editorOf(holder);
    const isWhole = around !== null && editors.get(around) === 1 && showsOnly(around, [holder], editorParts);
    found.push({ element: isWhole ? around : holder, lines, text });
  }
  return found;
}

function isCode(holder: Element, lines: readonly Element[], text: string): boolean {
  const names = namesOf(holder);
  if (editorLines.test(names)) return showsOnly(holder, lines, editorParts);
  if (fragment.test(names)) {
    const isDoxygen = lines.some(({ children }) =>
      children.some((child) => isTag(child) && doxygenNames.test(namesOf(child))),
    );
    return (
      (isDoxygen || looksLikeCode(text, 0.5)) &&
      lines.every((line) => fragmentLine.test(namesOf(line)) && !holdsOther(line, true)) &&
      showsOnly(holder, lines, fragmentParts)
    );
  }
  const isSaid = codeTags.has(holder.name);
  return (
    looksLikeCode(text, isSaid ? 0 : 0.5) &&
    holdsOnly(holder, new Set<ChildNode>(lines)) &&
    !lines.some((line) => holdsOther(line, isSaid))
  );
}

const holdsOnly = ({ children }: Element, lines: ReadonlySet<ChildNode>): boolean =>
  children.every((child) => lines.has(child) || isBlank(child) || (isTag(child) && child.name === 'button'));

/** Whether all that it shows stands in these parts, or in such as are named so. */
function showsOnly(root: Element, parts: readonly Element[], beside: RegExp): boolean {
  const known = new Set(parts);
  let isAll = true;
  walk(
    root,
    (element) => {
      if (element === root) return true;
      const { name: tag, attribs } = element;
      const names = namesOf(element);
      if (!isAll || known.has(element) || isSilent(tag) || isHidden(element)) return false;
      if (tag === 'button' || beside.test(names)) return false;
      // What holds others is not looked at for each of them anew.
      const isOther = editorLines.test(names) || fragment.test(names) || editor.test(names);
      isAll = !isOther && (tag !== 'img' || attribs['src'] === undefined);
      return isAll;
    },
    () => undefined,
    ({ data }) => void (isAll &&= data.trim() === ''),
  );
  return isAll;
}

/** Whether something stands in a line, or lines, that is no code, links among it where they are not said to be of code. */
export function holdsOther(line: Element, takesLinks: boolean): boolean {
  let found = false;
  walk(
    line,
    ({ name: tag, attribs }) => {
      found ||=
        (otherTags.test(tag) && tag !== 'pre') ||
        (!takesLinks && tag === 'a' && attribs['href'] !== undefined);
      return !found;
    },
    () => undefined,
    () => undefined,
  );
  return found;
}

/** The editor around its lines. */
function editorOf(holder: Element): Element | null {
  if (!editorLines.test(namesOf(holder))) return null;
  let up: Element['parent'] = holder;
  for (let n = 0; n < farthestEditor && up !== null && isTag(up); n++, up = up.parent)
    if (editor.test(namesOf(up))) return up;
  return null;
}

/** Editors that show a part of their lines place them by their tops, in any order. */
function inOrder(lines: readonly Element[]): readonly Element[] {
  const tops = new Map(
    lines.map((line) => [line, /(?:^|;)\s*top\s*:\s*(-?\d+)/i.exec(styleOf(line))?.[1] ?? null]),
  );
  if ([...tops.values()].includes(null)) return lines;
  return lines.toSorted((a, b) => Number(tops.get(a)) - Number(tops.get(b)));
}
