import type { Nodes, Root } from 'mdast';
import { kindOf } from './quick-lines.ts';

const tags: Readonly<Record<string, string>> = { strong: 'strong', emphasis: 'em', delete: 'del' };

/**
 * Has emphasis written as HTML where marks would not form it as they are: not between a letter and punctuation, as in
 * Chinese and Japanese sentences, and mostly not between a letter and other marks. The library makes them by numeric
 * references in place of letters.
 *
 * @returns the tree, of which only what changes is new.
 */
export const tagMarks = (root: Root): Root => tagIn(root) as Root;

function tagIn(node: Nodes): Nodes {
  if (!('children' in node)) return node;
  const { children } = node as { children: Nodes[] };
  const outside = isMark(node) ? node : undefined;
  let isSame = true;
  const tagged = children.flatMap((child, index) => {
    const inner = tagIn(child);
    const beside = [children[index - 1] ?? outside, children[index + 1] ?? outside] as const;
    const isTagged = isMark(child) && (isUnformed(child, beside, 0) || isUnformed(child, beside, 1));
    isSame &&= !isTagged && inner === child;
    if (!isTagged) return [inner];
    const name = tags[child.type];
    return [htmlOf(`<${name}>`), ...(inner as { children: Nodes[] }).children, htmlOf(`</${name}>`)];
  });
  return isSame ? node : ({ ...node, children: tagged } as Nodes);
}

const isMark = ({ type }: Nodes): boolean => type in tags;
const htmlOf = (value: string): Nodes => ({ type: 'html', value });

type Sides = readonly [before: Nodes | undefined, behind: Nodes | undefined];

/** Whether marks do not form emphasis before (0) or behind (1) it. */
function isUnformed(marked: Nodes, beside: Sides, side: 0 | 1): boolean {
  const [text, other] = [beside[side], beside[1 - side]];
  if (text?.type !== 'text' || kindOf(text.value.at(side - 1) ?? ' ') !== 'letter') return false;
  const inside = 'children' in marked ? marked.children.at(-side) : undefined;
  // The library takes underscores beside other marks, which form nothing beside letters.
  return (
    inside?.type !== 'text' ||
    kindOf(inside.value.at(-side) ?? ' ') !== 'letter' ||
    (other !== undefined && isMark(other))
  );
}
