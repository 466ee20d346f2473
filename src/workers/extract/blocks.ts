import { type AnyNode, type Document, type Element, hasChildren, isTag, isText } from 'domhandler';
import { createNameReader } from './class-words.ts';
import { texOf } from './mathml.ts';

/** An element that is no mere part of a line, with the blocks that stand in it. */
export interface Scope {
  element: Element;
  tag: string;
  parent: Scope | null;
  depth: number;
  /** Groups of words in its names, as bits. */
  names: number;
  /** How often its tag and class stand among its parent's children. */
  repeats: number;
  /** Blocks `[first, end)` of the page stand in it. */
  first: number;
  end: number;
  hidden: boolean;
}

/** A line or paragraph: text between two breaks that a block-level element makes. */
export interface Block {
  index: number;
  scope: Scope;
  /** White space collapsed, line breaks of `br` and `pre` kept. */
  text: string;
  /** Text nodes and images, in order. */
  nodes: AnyNode[];
  linkChars: number;
  boldChars: number;
  codeChars: number;
  links: number;
  controls: number;
  images: number;
  /** Groups of words in the names of elements inside the line. */
  innerNames: number;
  preformatted: boolean;
}

export interface PageBlocks {
  blocks: Block[];
  scopes: Scope[];
}

const silentTags = new Set(
  'script style template svg iframe object embed applet canvas audio video map noembed noframes select option optgroup datalist textarea input head meta link title progress meter area param source track math-annotation dialog'.split(
    ' ',
  ),
);

export const blockTags = new Set(
  'address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol p pre search section summary table tbody td tfoot th thead tr ul'.split(
    ' ',
  ),
);

const boldTags = new Set(['b', 'strong']);
const codeTags = new Set(['code', 'kbd', 'samp', 'tt']);

/**
 * Not `opacity: 0`, `scale(0)` and no height: what is faded or folded out later begins so. Nor `font-size: 0`, which
 * what stands within may set anew.
 */
const hiddenStyle =
  /(?:^|;)\s*(?:display\s*:\s*none|(?:content-)?visibility\s*:\s*(?:hidden|collapse)|text-indent\s*:\s*-\d{4,}(?:\.\d+)?(?:px|em|rem|%)?|clip\s*:\s*rect\(\s*[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?\s*\))/i;
/** Nearer than 5,000 px stand the strips of sliders. */
const farStyle = /(?:^|;)\s*(?:left|right|top)\s*:\s*-(?:[5-9]\d{3}|\d{5,})(?:\.\d+)?px/i;
const placedStyle = /(?:^|;)\s*position\s*:\s*(?:absolute|fixed)/i;

/** MathML that stands beside a picture of the formula is hidden for readers, and is the formula all the same. */
const holdsFormula = ({ children }: Element): boolean => {
  const [only, ...others] = children.filter(isTag);
  return only?.name === 'math' && others.length === 0;
};

export function isHidden(element: Element): boolean {
  return looksHidden(element) && !holdsFormula(element);
}

function looksHidden({ attribs }: Element): boolean {
  if (attribs['hidden'] !== undefined && attribs['hidden'] !== 'until-found') return true;
  const style = attribs['style']?.slice(0, 1_000) ?? '';
  return hiddenStyle.test(style) || (farStyle.test(style) && placedStyle.test(style));
}

export const isSilent = (tag: string): boolean => silentTags.has(tag);

/** MathML, or the TeX that MathJax 2 reads from a script. */
export const isFormula = ({ name, attribs }: Element): boolean =>
  name === 'math' || (name === 'script' && /^\s*math\/tex/i.test(attribs['type'] ?? ''));

function elementBeside(element: Element, side: 'prev' | 'next'): Element | null {
  let beside = element[side];
  while (beside !== null && !isTag(beside)) beside = beside[side];
  return beside;
}

/** What shows a formula that is told by the element beside it. */
function showsFormula(element: Element): boolean {
  const { name, attribs } = element;
  if (name === 'img') {
    const before = attribs['aria-hidden'] === 'true' ? elementBeside(element, 'prev') : null;
    return before !== null && holdsFormula(before);
  }
  // MathJax 2 puts a preview and what it has drawn before its script.
  let next: Element | null = element;
  for (let n = 0; n < 2 && next?.attribs['class']?.startsWith('MathJax') === true; n++) {
    next = elementBeside(next, 'next');
  }
  return next !== null && next !== element && isFormula(next);
}

interface Inline {
  link: number;
  bold: number;
  code: number;
  control: number;
}

/**
 * Walks the tree once, without recursion, and tells its blocks and scopes in the order of the document.
 * @param wanted elements that are scopes of their own and read in any case: hidden ones, parts of a line, dialogs.
 */
export function readBlocks(root: Document | Element, wanted: ReadonlySet<AnyNode> = new Set()): PageBlocks {
  const readNames = createNameReader();
  const blocks: Block[] = [];
  const scopes: Scope[] = [];
  const inline: Inline = { link: 0, bold: 0, code: 0, control: 0 };
  let scope: Scope | null = null;
  let open: Block | null = null;
  let parts: string[] = [];

  function closeBlock(): void {
    if (open === null) return;
    const text = tidy(parts.join(''), open.preformatted);
    if (text !== '' || open.images > 0) {
      open.text = text;
      open.index = blocks.length;
      blocks.push(open);
    }
    open = null;
    parts = [];
  }

  function openBlock(): Block | null {
    if (open !== null || scope === null) return open;
    open = {
      index: -1,
      scope,
      text: '',
      nodes: [],
      linkChars: 0,
      boldChars: 0,
      codeChars: 0,
      links: 0,
      controls: 0,
      images: 0,
      innerNames: 0,
      preformatted: false,
    };
    return open;
  }

  function readText(node: AnyNode & { data: string }): void {
    const { data } = node;
    const size = countInk(data);
    if (size === 0 && open === null) return;
    const block = openBlock();
    if (block === null) return;
    parts.push(data);
    block.nodes.push(node);
    if (inline.link > 0) block.linkChars += size;
    if (inline.bold > 0) block.boldChars += size;
    if (inline.code > 0) block.codeChars += size;
    if (inline.control > 0) block.controls += size;
  }

  /** Code is one block, however its lines are marked up. */
  function readPreformatted(element: Element, names: number): void {
    closeBlock();
    const outer: Scope | null = scope;
    scope = openScope(element, names, outer);
    scopes.push(scope);
    const block = openBlock();
    if (block !== null) {
      block.preformatted = true;
      parts.push(codeText(element));
      block.nodes.push(element);
      block.codeChars = countInk(parts[0] ?? '');
    }
    closeBlock();
    scope.end = blocks.length;
    scope = outer;
  }

  function openScope(element: Element, names: number, parent: Scope | null): Scope {
    const { name: tag } = element;
    return {
      element,
      tag,
      parent,
      depth: parent === null ? 0 : parent.depth + 1,
      names: tag === 'body' || tag === 'html' ? 0 : names,
      repeats: 1,
      first: blocks.length,
      end: blocks.length,
      hidden: !wanted.has(element) && ((parent?.hidden ?? false) || isHidden(element)),
    };
  }

  function enter(element: Element): boolean {
    if (!wanted.has(element)) return enterUnasked(element);
    const { name: tag } = element;
    closeBlock();
    const line: Scope | null = scope;
    scope = openScope(element, readNames(element), line);
    // A part of a line is a line of the same kind.
    if (line !== null && !blockTags.has(tag)) scope.tag = line.tag;
    scopes.push(scope);
    if (tag !== 'pre' && tag !== 'img' && tag !== 'math') return tag !== 'script' && tag !== 'style';
    enterUnasked(element);
    leave(element);
    return false;
  }

  function enterUnasked(element: Element): boolean {
    const { name: tag } = element;
    if (isFormula(element)) {
      const text = mathText(element);
      const block = text === '' ? null : openBlock();
      if (block !== null) {
        parts.push(text);
        block.nodes.push(element);
      }
      return false;
    }
    if (tag === 'input' && isTaskBox(element)) openBlock()?.nodes.push(element);
    if (silentTags.has(tag) || showsFormula(element)) return false;
    if (tag === 'br' || tag === 'hr' || tag === 'wbr') {
      if (tag === 'hr') closeBlock();
      else if (tag === 'br' && open !== null) {
        parts.push('\u2028');
        open.nodes.push(element);
      }
      return false;
    }
    if (tag === 'img') {
      const block = openBlock();
      if (block !== null) {
        block.images++;
        block.nodes.push(element);
      }
      return false;
    }
    const names = readNames(element);
    if (tag === 'pre') {
      readPreformatted(element, names);
      return false;
    }
    if (blockTags.has(tag) || isCustomBlock(element)) {
      closeBlock();
      scope = openScope(element, names, scope);
      scopes.push(scope);
      return true;
    }
    if (isHidden(element) || element.attribs['aria-hidden'] === 'true' || isPermalink(element)) return false;
    if (tag === 'a') {
      inline.link++;
      const block = openBlock();
      if (block !== null) block.links++;
    } else if (boldTags.has(tag)) inline.bold++;
    else if (codeTags.has(tag)) inline.code++;
    else if (tag === 'button') inline.control++;
    if (names !== 0) {
      const block = openBlock();
      if (block !== null) block.innerNames |= names;
    }
    return true;
  }

  function leave(element: Element): void {
    const { name: tag } = element;
    if (scope !== null && scope.element === element) {
      closeBlock();
      scope.end = blocks.length;
      scope = scope.parent;
    } else if (tag === 'a') inline.link--;
    else if (boldTags.has(tag)) inline.bold--;
    else if (codeTags.has(tag)) inline.code--;
    else if (tag === 'button') inline.control--;
  }

  walk(root, enter, leave, readText);
  closeBlock();
  countRepeats(scopes);
  return { blocks, scopes };
}

/** Depth first, without recursion; `enter` says whether to go inside. */
export function walk(
  root: AnyNode,
  enter: (element: Element) => boolean,
  leave: (element: Element) => void,
  onText: (node: AnyNode & { data: string }) => void,
): void {
  let node: AnyNode | null = root;
  while (node !== null) {
    let inside = true;
    if (isText(node)) onText(node);
    else if (isTag(node)) inside = enter(node);
    const child: AnyNode | null = inside && hasChildren(node) ? (node.children[0] ?? null) : null;
    if (child !== null) {
      node = child;
      continue;
    }
    if (inside && isTag(node)) leave(node);
    while (node !== null && node !== root && node.next === null) {
      node = node.parent;
      if (node !== null && isTag(node)) leave(node);
    }
    if (node === null || node === root) return;
    node = node.next;
  }
}

/** The box of a task list, which says whether the task is done; what can be clicked is a part of a form. */
function isTaskBox({ attribs, parent }: Element): boolean {
  if (attribs['type'] !== 'checkbox' || attribs['disabled'] === undefined) return false;
  const holder =
    parent !== null && isTag(parent) && /^(?:p|label)$/.test(parent.name) ? parent.parent : parent;
  return holder !== null && isTag(holder) && holder.name === 'li';
}

/** The sign beside a heading that links to the heading. */
function isPermalink({ name, children }: Element): boolean {
  const [only, ...others] = children;
  return (
    name === 'a' &&
    others.length === 0 &&
    only !== undefined &&
    isText(only) &&
    /^\s*[#¶§🔗]\s*$/u.test(only.data)
  );
}

/** A custom element that holds block-level ones stands as a block itself. */
function isCustomBlock(element: Element): boolean {
  return (
    element.name.includes('-') && element.children.some((child) => isTag(child) && blockTags.has(child.name))
  );
}

/** Characters that are no white space. */
function countInk(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 32 && code !== 160) count++;
  }
  return count;
}

function tidy(text: string, preformatted: boolean): string {
  if (preformatted) {
    return text
      .replace(/\u2028|\r\n?/g, '\n')
      .replace(/^\s*\n/, '')
      .trimEnd();
  }
  return text
    .replace(/[\u200b\u2060\ufeff\u00ad]/g, '')
    .replace(/[^\S\u2028]+/g, ' ')
    .replace(/ ?\u2028[\u2028 ]*/g, '\n')
    .trim();
}

const lineNumbers = /(?:^|[\s_-])(?:gutter|line-?numbers?|linenos?|ln-numbers)(?:\s|$)|(?:^|\s)lnt?(?:\s|$)/i;
const copyButton = /\b(?:copy|clipboard)\b/i;

/** Line numbers and what copies the code. The code itself, and words of it, may have such names too. */
function isAmidCode({ name: tag, attribs }: Element): boolean {
  const names = attribs['class']?.slice(0, 300) ?? '';
  if (names === '' || tag === 'code') return false;
  return lineNumbers.test(names) || (tag !== 'span' && copyButton.test(names));
}

/** The text of code: a line for each element that makes one, without line numbers and buttons. */
export function codeText(pre: Element): string {
  const parts: string[] = [];
  const breakLine = (): void => {
    const last = parts.at(-1);
    if (last !== undefined && !last.endsWith('\n')) parts.push('\n');
  };
  walk(
    pre,
    (element) => {
      const { name: tag } = element;
      if (tag === 'br') parts.push('\n');
      if (tag === 'button' || silentTags.has(tag) || tag === 'br') return false;
      if (element !== pre && isAmidCode(element)) return false;
      if (element !== pre && blockTags.has(tag) && tag !== 'td') breakLine();
      return true;
    },
    (element) => {
      if (element !== pre && blockTags.has(element.name) && element.name !== 'td') breakLine();
    },
    ({ data }) => void parts.push(data),
  );
  return parts.join('');
}

/** Characters that keep TeX in a script from being read as XML. */
const xmlGuard = /^%\s*<!\[CDATA\[|%?\s*\]\]>$/g;

/** The source of a formula where it is given, else TeX of its MathML. */
export function mathText(math: Element): string {
  const parts: string[] = [];
  let source: string | null = math.attribs['alttext'] ?? null;
  let annotation = 0;
  walk(
    math,
    ({ name, attribs }) => {
      if (name.startsWith('annotation')) annotation++;
      if (name === 'annotation' && /tex/i.test(attribs['encoding'] ?? '')) source = '';
      return true;
    },
    ({ name }) => {
      if (name.startsWith('annotation')) annotation--;
    },
    ({ data }) => {
      if (annotation === 0) parts.push(data);
      else if (source === '') source = data;
    },
  );
  const text = source || (math.name === 'math' ? texOf(math) : null) || parts.join('');
  return text.trim().replace(xmlGuard, '').trim();
}

function countRepeats(scopes: readonly Scope[]): void {
  const counts = new Map<Scope | null, Map<string, Scope[]>>();
  for (const scope of scopes) {
    let byKind = counts.get(scope.parent);
    if (byKind === undefined) counts.set(scope.parent, (byKind = new Map()));
    const kind = `${scope.tag}.${scope.element.attribs['class']?.split(/\s+/, 1)[0] ?? ''}`;
    const same = byKind.get(kind);
    if (same === undefined) byKind.set(kind, [scope]);
    else same.push(scope);
  }
  for (const byKind of counts.values()) {
    for (const same of byKind.values()) for (const scope of same) scope.repeats = same.length;
  }
}
