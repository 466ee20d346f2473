import type { Document } from 'domhandler';
import { dropNoscript, showNoscript } from '../page/html/noscript.ts';
import { replaceRoles } from './aria-roles.ts';
import { replaceCodeBlocks } from './code-blocks.ts';
import { replaceCodeTables } from './code-tables.ts';
import { parseTree } from './parse-tree.ts';
import { partControls } from './part-controls.ts';
import { replaceRawFormulas } from './raw-formulas.ts';

/**
 * A page as its readers see it: with what stands in `noscript` where that is the page, else without.
 * @throws AppError `target_too_large`.
 */
export function parsePage(html: string): { html: string; tree: Document } {
  const shown = showNoscript(html);
  const tree = parseTree(shown === html ? dropNoscript(html) : shown);
  replaceRoles(tree);
  replaceCodeTables(tree);
  replaceCodeBlocks(tree);
  replaceRawFormulas(tree);
  partControls(tree);
  return { html: shown, tree };
}
