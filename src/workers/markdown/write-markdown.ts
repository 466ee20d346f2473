import type { Root } from 'mdast';
import { gfmToMarkdown } from 'mdast-util-gfm';
import { mathToMarkdown } from 'mdast-util-math';
import { type Options, toMarkdown } from 'mdast-util-to-markdown';

const common: Options = {
  bullet: '-',
  bulletOther: '*',
  emphasis: '*',
  strong: '*',
  fence: '`',
  fences: true,
  rule: '-',
  listItemIndent: 'one',
  incrementListMarker: true,
  resourceLink: true,
};
const gfm = gfmToMarkdown({ tablePipeAlign: false });
const plain: Options = { ...common, extensions: [gfm] };
const withMath: Options = { ...common, extensions: [gfm, mathToMarkdown()] };

/** Dollars are escaped only where formulas make them special. */
export function writeMarkdown(root: Root, hasMath: boolean): string {
  return toMarkdown(root, hasMath ? withMath : plain);
}
