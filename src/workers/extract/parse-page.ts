import type { Document } from 'domhandler';
import { dropNoscript, showNoscript } from '../page/html/noscript.ts';
import { replaceCodeBlocks } from './code-blocks.ts';
import { replaceCodeTables } from './code-tables.ts';
import { parseTree } from './parse-tree.ts';
import { findRenderer, type Renderer, replaceRawFormulas } from './raw-formulas.ts';
import type { Replaced } from './selected-blocks.ts';

/**
 * A page as its readers see it: with what stands in `noscript` where that is the page, else without. Its elements are
 * its own, as selectors know them.
 * @throws AppError `target_too_large`.
 */
export function readTree(html: string): { html: string; tree: Document } {
  const shown = showNoscript(html);
  return { html: shown, tree: parseTree(shown === html ? dropNoscript(html) : shown) };
}

/** Makes code and formulas, however a page shows them, the elements that they are. */
export function rewriteTree(tree: Document, renderer: Renderer): Replaced {
  const replaced = replaceCodeTables(tree);
  replaceCodeBlocks(tree);
  replaceRawFormulas(tree, renderer);
  return replaced;
}

/** A page as it is read. @throws AppError `target_too_large`. */
export function parsePage(html: string): { html: string; tree: Document } {
  const page = readTree(html);
  rewriteTree(page.tree, findRenderer(page.tree));
  return page;
}
