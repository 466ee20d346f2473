import type { Root } from 'mdast';
import { gfmToMarkdown } from 'mdast-util-gfm';
import { mathToMarkdown } from 'mdast-util-math';
import { defaultHandlers, type Handle, type Options, toMarkdown } from 'mdast-util-to-markdown';
import { type CareCache, quicken } from './quick-lines.ts';

const createRoot = (): Handle => {
  const cache: CareCache = new Map();
  return (node, parent, state, info) => {
    quicken(state, cache);
    return (defaultHandlers.root as Handle)(node, parent, state, info);
  };
};

/** Numbers an item by its place: the library looks for it in its list, which takes the square of a long one. */
const listItem: Handle = (node, parent, state, info) => {
  const handle = defaultHandlers.listItem as Handle;
  if (parent?.type !== 'list' || !parent.ordered) return handle(node, parent, state, info);
  const start = (parent.start ?? 1) + (state.indexStack.at(-1) ?? 0);
  return handle(node, { ...parent, start, children: [node] }, state, info);
};

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
const plain: Options = { ...common, handlers: { root: createRoot(), listItem }, extensions: [gfm] };
const withMath: Options = {
  ...common,
  handlers: { root: createRoot(), listItem },
  extensions: [gfm, mathToMarkdown()],
};

/** Dollars are escaped only where formulas make them special. */
export function writeMarkdown(root: Root, hasMath: boolean): string {
  return toMarkdown(root, hasMath ? withMath : plain);
}
