import type { Document, Element } from 'domhandler';
import { adapter } from 'parse5-htmlparser2-tree-adapter';
import { showNoscript } from '../page/html/noscript.ts';
import { isSilent, walk } from './blocks.ts';
import { replaceCodeTables } from './code-tables.ts';
import { parseTree } from './parse-tree.ts';

/**
 * A page as its readers see it: with what stands in `noscript` where that is the page, else without.
 * @throws AppError `target_too_large`.
 */
export function parsePage(html: string): { html: string; tree: Document } {
  const shown = showNoscript(html);
  const tree = parseTree(shown);
  if (shown === html) dropNoscript(tree);
  replaceCodeTables(tree);
  return { html: shown, tree };
}

/** Takes out what is told to who runs no scripts; pictures alone may stand there for those that a script loads. */
function dropNoscript(tree: Document): void {
  const told = new Set<Element>();
  let open: Element | null = null;
  walk(
    tree,
    (element) => {
      if (element.name === 'noscript') open ??= element;
      return !isSilent(element.name);
    },
    (element) => {
      if (element === open) open = null;
    },
    ({ data }) => {
      if (open !== null && data.trim() !== '') told.add(open);
    },
  );
  for (const element of told) adapter.detachNode(element);
}
