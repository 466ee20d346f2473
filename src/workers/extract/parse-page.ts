import type { Document } from 'domhandler';
import { adapter } from 'parse5-htmlparser2-tree-adapter';
import { dropNoscript, showNoscript } from '../page/html/noscript.ts';
import { replaceRoles } from './aria-roles.ts';
import { replaceCaptions } from './captions.ts';
import { replaceCodeBlocks } from './code-blocks.ts';
import { replaceCodeTables } from './code-tables.ts';
import { replaceNotes } from './notes.ts';
import { parseTree } from './parse-tree.ts';
import { partControls } from './part-controls.ts';
import { replaceRawFormulas } from './raw-formulas.ts';
import { type Matched, matchSelection, type Selection } from './selected-blocks.ts';

/**
 * A page as its readers see it: with what stands in `noscript` where that is the page, else without.
 * @throws AppError `target_too_large`, `invalid_request`.
 */
export function parsePage(
  html: string,
  selection: Selection = {},
  hasRunScripts = false,
): { html: string; tree: Document; matched: Matched } {
  const shown = showNoscript(html, hasRunScripts);
  const tree = parseTree(shown === html ? dropNoscript(html) : shown);
  const matched = matchSelection(tree, selection);
  replaceRoles(tree);
  // Code is told by all that stands in it, such as line numbers; what of it is excluded is left out then.
  replaceCodeTables(tree, matched);
  replaceCodeBlocks(tree, matched.excluded);
  for (const element of matched.excluded) adapter.detachNode(element);
  replaceCaptions(tree);
  replaceNotes(tree);
  replaceRawFormulas(tree);
  partControls(tree);
  return { html: shown, tree, matched };
}
