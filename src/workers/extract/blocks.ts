import { type AnyNode, type Document, type Element, isTag } from 'domhandler';
import { findAlike } from './alike-scopes.ts';
import { columnKind } from './class-kind.ts';
import { createNameReader } from './class-words.ts';
import { codeText } from './code-text.ts';
import { blockTags, isHidden, isSilent, isSourceLine } from './element-kinds.ts';
import { isFolded } from './folded-panels.ts';
import { isFormula, mathText, showsFormula } from './formulas.ts';
import { isEditMark, isPermalink } from './heading-marks.ts';
import { countInk } from './text-size.ts';
import { walk } from './walk.ts';

/** An element that is no mere part of a line, with the blocks that stand in it. */
export interface Scope {
  element: Element;
  tag: string;
  parent: Scope | null;
  depth: number;
  /** Groups of words in its names, as bits. */
  names: number;
  /** What its classes make it; a single digit may be that of a column. */
  kind: string;
  /** Those of its tag and the first class of its kind among its parent's children, itself too. */
  alike: readonly Scope[];
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

const boldTags = new Set(['b', 'strong']);
const codeTags = new Set(['code', 'kbd', 'samp', 'tt']);

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
  const kinds = new Map<string, string>();
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

  /** A page repeats its classes. */
  function kindOf(classes = ''): string {
    const known = kinds.get(classes);
    if (known !== undefined) return known;
    const kind = columnKind(classes);
    kinds.set(classes, kind);
    return kind;
  }

  function openScope(element: Element, names: number, parent: Scope | null): Scope {
    const { name: tag } = element;
    return {
      element,
      tag,
      parent,
      depth: parent === null ? 0 : parent.depth + 1,
      names: tag === 'body' || tag === 'html' ? 0 : names,
      kind: kindOf(element.attribs['class']),
      alike: [],
      first: blocks.length,
      end: blocks.length,
      hidden:
        !wanted.has(element) &&
        ((parent?.hidden ?? false) || (isHidden(element) && !isFolded(element, isHidden))),
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
    if (isSilent(tag) || showsFormula(element) || isEditMark(element)) return false;
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
    if (blockTags.has(tag) || isSourceLine(element) || isCustomBlock(element)) {
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
  findAlike(scopes);
  return { blocks, scopes };
}

const taskName = /(?:^|[\s_-])(?:task|todo)(?:[\s_-]|$)/i;

/** The box of a task list, which says whether the task is done; what can be clicked is a part of a form. */
function isTaskBox({ attribs, parent }: Element): boolean {
  if (attribs['type'] !== 'checkbox') return false;
  const holder =
    parent !== null && isTag(parent) && /^(?:p|label)$/.test(parent.name) ? parent.parent : parent;
  if (holder === null || !isTag(holder) || holder.name !== 'li') return false;
  return attribs['disabled'] !== undefined || taskName.test(holder.attribs['class']?.slice(0, 300) ?? '');
}

/** A custom element that holds block-level ones stands as a block itself. */
function isCustomBlock(element: Element): boolean {
  return (
    element.name.includes('-') && element.children.some((child) => isTag(child) && blockTags.has(child.name))
  );
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
