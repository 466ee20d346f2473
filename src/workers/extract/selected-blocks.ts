import { selectAll } from 'css-select';
import { type AnyNode, type Document, type Element, isTag } from 'domhandler';
import { adapter } from 'parse5-htmlparser2-tree-adapter';
import { AppError } from '../../shared/errors.ts';
import { flawOfSelector, howToWriteSelector } from '../page/html/selector-flaw.ts';
import { type PageBlocks, readBlocks, type Scope } from './blocks.ts';

export interface Selection {
  /** Only what this CSS selector matches is content. */
  selector?: string | undefined;
  /** What these match is none. */
  excludeSelectors?: readonly string[] | undefined;
}

/** What selectors match in a page as it was sent, before its code is rewritten. */
export interface Matched {
  /** In its order; empty without a selector. */
  selected: readonly Element[];
  excluded: ReadonlySet<Element>;
  /** Of tables that were code, what stands in their place. */
  replaced: Map<Element, Element>;
}

/** @throws AppError `invalid_request` */
export function matchSelection(tree: Document, { selector, excludeSelectors = [] }: Selection): Matched {
  return {
    selected: selector === undefined ? [] : select(selector, tree),
    excluded: new Set(excludeSelectors.flatMap((one) => select(one, tree))),
    replaced: new Map(),
  };
}

/** Takes what these CSS selectors match out of a tree. @throws AppError `invalid_request` */
export function takeOut(tree: Document, selectors: readonly string[]): void {
  for (const one of selectors) for (const element of select(one, tree)) adapter.detachNode(element);
}

/**
 * The blocks of a tree, and of each whether it is seen and stands in what the selector matches (which is read in any
 * case, hidden or not; code as a whole).
 * @throws AppError `invalid_request`, `selector_not_found`.
 */
export function pickSelected(
  tree: Document,
  selector: string | undefined,
  { selected, replaced }: Pick<Matched, 'selected' | 'replaced'> = { selected: [], replaced: new Map() },
): { page: PageBlocks; picked: Uint8Array } {
  if (selector === undefined) {
    const page = readBlocks(tree);
    return { page, picked: Uint8Array.from(page.blocks, ({ scope }) => (scope.hidden ? 0 : 1)) };
  }
  const found = [...selected, ...select(selector, tree)];
  const wanted = outermost(found.map((element) => codeOf(element, replaced)));
  if (wanted.size === 0) throw notFound(`The page has no element that matches ${quote(selector)}.`);
  const page = readBlocks(tree, wanted);
  const inside = new Set<Scope>();
  for (const scope of page.scopes) {
    if (wanted.has(scope.element) || (scope.parent !== null && inside.has(scope.parent))) inside.add(scope);
  }
  const picked = Uint8Array.from(page.blocks, ({ scope }) => (inside.has(scope) && !scope.hidden ? 1 : 0));
  if (!picked.includes(1)) throw notFound(`What ${quote(selector)} matches on the page is empty.`);
  return { page, picked };
}

const quote = (selector: string): string => `\`${selector.slice(0, 200)}\``;
const notFound = (message: string): AppError =>
  new AppError('selector_not_found', `${message} Give another \`selector\`, or none.`);

/** The code as a whole where an element is part of it. */
function codeOf(element: Element, replaced: ReadonlyMap<Element, Element>): Element {
  for (let up: Element['parent'] = element; up !== null; up = up.parent) {
    if (!isTag(up)) continue;
    const code = up.name === 'pre' ? up : replaced.get(up);
    if (code !== undefined) return code;
  }
  return element;
}

/** Without those that stand in another. */
function outermost(elements: readonly Element[]): Set<AnyNode> {
  const all = new Set<AnyNode>(elements);
  const known = new Map<AnyNode, boolean>();
  const kept = new Set<AnyNode>();
  for (const element of all) {
    const path: AnyNode[] = [];
    let up: AnyNode | null = element.parent;
    for (; up !== null && !all.has(up) && !known.has(up); up = up.parent) path.push(up);
    const isWithin = up !== null && (known.get(up) ?? true);
    for (const node of path) known.set(node, isWithin);
    if (!isWithin) kept.add(element);
  }
  return kept;
}

function select(selector: string, tree: Document): Element[] {
  try {
    return selectAll<AnyNode, Element>(selector, tree).filter((node) => isTag(node));
  } catch (error) {
    throw new AppError(
      'invalid_request',
      `${quote(selector)} cannot be read as a CSS selector: ${flawOfSelector(error as Error)} ${howToWriteSelector}`,
    );
  }
}
