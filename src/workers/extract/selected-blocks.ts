import { selectAll } from 'css-select';
import { type AnyNode, type Document, type Element, isTag } from 'domhandler';
import { adapter } from 'parse5-htmlparser2-tree-adapter';
import { AppError } from '../../shared/errors.ts';
import { type PageBlocks, readBlocks } from './blocks.ts';

export interface Selection {
  /** Only what this CSS selector matches is content. */
  selector?: string | undefined;
  /** What these match is none. */
  excludeSelectors?: readonly string[] | undefined;
}

/** Takes what these CSS selectors match out of a tree. @throws AppError `invalid_request` */
export function takeOut(tree: Document, selectors: readonly string[]): void {
  for (const one of selectors) for (const element of select(one, tree)) adapter.detachNode(element);
}

/**
 * The blocks of a tree, and of each whether it is seen and stands in what the selector matches.
 * @throws AppError `invalid_request`, `selector_not_found`.
 */
export function pickSelected(
  tree: Document,
  selector: string | undefined,
): { page: PageBlocks; picked: Uint8Array } {
  const found = selector === undefined ? null : new Set<AnyNode>(select(selector, tree));
  if (found?.size === 0) {
    throw new AppError(
      'selector_not_found',
      `The page has no element that matches \`${selector?.slice(0, 200)}\`. Give another \`selector\`, or none.`,
    );
  }
  const page = readBlocks(tree);
  const picked = Uint8Array.from(page.blocks, ({ scope }) => (scope.hidden ? 0 : 1));
  const inside = new Map<AnyNode, boolean>();
  for (const [index, block] of found === null ? [] : page.blocks.entries()) {
    if (!block.nodes.some((node) => standsIn(node, found as Set<AnyNode>, inside))) picked[index] = 0;
  }
  return { page, picked };
}

function standsIn(node: AnyNode, found: ReadonlySet<AnyNode>, known: Map<AnyNode, boolean>): boolean {
  const path: AnyNode[] = [];
  let answer = false;
  for (let up: AnyNode | null = node; up !== null; up = up.parent) {
    const told = found.has(up) ? true : known.get(up);
    if (told !== undefined) {
      answer = told;
      break;
    }
    path.push(up);
  }
  for (const one of path) known.set(one, answer);
  return answer;
}

function select(selector: string, tree: Document): Element[] {
  try {
    return selectAll<AnyNode, Element>(selector, tree).filter((node) => isTag(node));
  } catch (error) {
    throw new AppError(
      'invalid_request',
      `The CSS selector \`${selector.slice(0, 200)}\` cannot be read: ${(error as Error).message.slice(0, 200)}`,
    );
  }
}
