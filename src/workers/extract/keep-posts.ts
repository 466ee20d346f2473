import type { Block, Scope } from './blocks.ts';

const levels = 6;
const fewestPosts = 3;
/** Characters of a picked block that is a post, and no name or date beside one. */
const postLength = 40;
/** Characters that a reply of a few words has at most. */
const replyLength = 100;
const mostPicked = 0.6;

/** Where a block stands: tags and classes of what it stands in, without the numbers of posts. */
function shapeOf({ scope }: Block): string {
  const parts: string[] = [];
  for (let up: Scope | null = scope, n = 0; up !== null && n < levels; up = up.parent, n++) {
    parts.push(`${up.tag}.${(up.element.attribs['class'] ?? '').slice(0, 100).replace(/\d+/g, '')}`);
  }
  return parts.join('<');
}

/**
 * Keeps the short replies of a thread: blocks that stand where its picked posts do.
 * @param beside of each block, whether it stands in a menu, a foot or the like.
 */
export function keepPosts(blocks: readonly Block[], beside: readonly boolean[], picked: Uint8Array): void {
  for (const alike of Map.groupBy(blocks.keys(), (at) => shapeOf(blocks[at] as Block)).values()) {
    const chars = (list: readonly number[]): number =>
      list.reduce((sum, at) => sum + (blocks[at]?.text.length ?? 0), 0);
    const taken = alike.filter((at) => picked[at] === 1);
    const posts = taken.filter((at) => (blocks[at]?.text.length ?? 0) >= postLength);
    if (posts.length < fewestPosts || posts.length * 2 < taken.length) continue;
    if (chars(taken) < mostPicked * chars(alike)) continue;
    for (const at of alike) {
      if (!(beside[at] ?? false) && (blocks[at]?.text.length ?? 0) <= replyLength) picked[at] = 1;
    }
  }
}
