import { type AnyNode, isTag } from 'domhandler';
import type { Block } from './blocks.ts';
import { createNameReader, groupIndex } from './class-words.ts';

export type AsideCheck = (node: AnyNode) => boolean;

const asideNames = (['related', 'nav', 'comment'] as const).map((name) => 1 << groupIndex[name]);
/** `with-sidebar` is what stands beside one. */
const sidebar = /(?:^|\s)widget(?:\s|$)|(?<!(?:with|has|no|without)[_-])sidebar/i;

/** Whether a node stands, apart from the title, in an element that is named after comments, other pages or a menu. */
export function createAsideCheck({
  blocks,
  titleAt,
  isThread,
}: {
  blocks: readonly Block[];
  /** The block of the title; -1 where there is none, and nothing stands apart from it. */
  titleAt: number;
  isThread: boolean;
}): AsideCheck {
  const aroundTitle = new Set<AnyNode>();
  for (let up: AnyNode | null = blocks[titleAt]?.nodes[0] ?? null; up !== null; up = up.parent)
    aroundTitle.add(up);
  if (aroundTitle.size === 0) return () => false;
  // The posts of a thread are called comments too.
  const unwanted = asideNames.slice(0, isThread ? 2 : 3).reduce((bits, bit) => bits | bit);
  const readNames = createNameReader();
  const known = new Map<AnyNode, boolean>();
  return (node) => {
    const path: AnyNode[] = [];
    let up: AnyNode | null = node;
    for (; up !== null && !aroundTitle.has(up) && !known.has(up); up = up.parent) path.push(up);
    let isAside = up !== null && known.get(up) === true;
    for (const one of path.toReversed()) {
      isAside ||=
        isTag(one) &&
        (one.name === 'nav' ||
          (readNames(one) & unwanted) !== 0 ||
          sidebar.test(`${one.attribs['class'] ?? ''} ${one.attribs['id'] ?? ''}`));
      known.set(one, isAside);
    }
    return isAside;
  };
}
