import type { Root, Text } from 'mdast';
import { gfmToMarkdown } from 'mdast-util-gfm';
import { mathToMarkdown } from 'mdast-util-math';
import { defaultHandlers, type Handle, type Options, toMarkdown } from 'mdast-util-to-markdown';

/** Characters that mean something in markdown, by themselves or with the one beside them. */
const special = /[\\`*_{}[\]<>#!|~^$&@\p{Cc}]|:(?:\/|$)|[wW]\.|\.[\w-]|\d[.)]/u;
const isLineEnd = (character: string | undefined): boolean =>
  character === undefined || character === '' || character === '\n' || character === '\r';

/** Most texts have nothing to escape, which the library looks for with some fifty patterns. */
const text: Handle = (node: Text, parent, state, info) => {
  const { value } = node;
  const isPlain =
    (value.startsWith(' ') ? !isLineEnd(info.before) : /^\p{L}/u.test(value)) &&
    (!value.endsWith(' ') || !isLineEnd(info.after)) &&
    !special.test(value);
  return isPlain ? value : (defaultHandlers.text as Handle)(node, parent, state, info);
};

const common: Options = {
  handlers: { text },
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
