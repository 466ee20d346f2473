import type { Document } from 'domhandler';
import { Parser } from 'parse5';
import { adapter } from 'parse5-htmlparser2-tree-adapter';
import { AppError } from '../../shared/errors.ts';
import { QuickTokenizer } from '../page/html/quick-tokenizer.ts';
import { flattenShadows } from './flatten-shadows.ts';

/** The standard's parser looks up through all open elements at many tags: deeper, and a page takes minutes. */
const maxDepth = 60_000;

/**
 * The page's tree as browsers build and show it: shadow trees in their hosts, and scripting off so that `noscript` is
 * markup.
 * @throws AppError `target_too_large` where elements are nested deeper than 60,000.
 */
export function parseTree(html: string): Document {
  let depth = 0;
  const treeAdapter = {
    ...adapter,
    onItemPush() {
      if (++depth > maxDepth) {
        throw new AppError(
          'target_too_large',
          `The page nests its elements deeper than ${maxDepth.toLocaleString('en')}. Ask for another page.`,
        );
      }
    },
    onItemPop() {
      depth--;
    },
  };
  const parser = new Parser({ treeAdapter, scriptingEnabled: false });
  parser.tokenizer = new QuickTokenizer({}, parser);
  parser.tokenizer.write(html, true);
  const tree = parser.document;
  if (/shadowrootmode/i.test(html)) flattenShadows(tree);
  return tree;
}
