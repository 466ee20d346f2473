import { shapeOf } from './alike-blocks.ts';
import type { Block } from './blocks.ts';
import { sizeOf } from './text-size.ts';

const fewestPosts = 3;
/** Characters of what is a post by itself, and no name or date beside one; how much of it may be links. */
const postLength = 40;
const mostLinked = 0.3;
/** How likely posts that stand alike are on the average. */
const likelyPosts = 0.25;
/** Characters of a paragraph that can open a thread, and how likely it is at least. */
const openingLength = 120;
const likelyOpening = 0.1;

/**
 * Keeps the posts of a thread that the model knows less well than the others: those that stand where likely ones do,
 * however short or long, and what opens it, which often is marked up unlike the replies.
 * @param beside of each block, whether it stands in a menu, a foot or the like.
 * @param likely how likely each is content, 0 to 1.
 */
export function keepPosts(
  blocks: readonly Block[],
  beside: readonly boolean[],
  likely: Float32Array,
  picked: Uint8Array,
): void {
  const isOwn = (at: number): boolean => !(beside[at] ?? false) && blocks[at]?.scope.hidden === false;
  const isPost = (at: number): boolean => {
    const { text, linkChars } = blocks[at] as Block;
    const size = sizeOf(text);
    return size >= postLength && linkChars <= mostLinked * size;
  };
  const own = [...blocks.keys()].filter(isOwn);
  for (const alike of Map.groupBy(own, (at) => shapeOf(blocks[at] as Block)).values()) {
    const posts = alike.filter(isPost);
    if (posts.length < fewestPosts || posts.length * 2 < alike.length) continue;
    const sum = posts.reduce((before, at) => before + (likely[at] ?? 0), 0);
    if (sum >= likelyPosts * posts.length) for (const at of alike) picked[at] = 1;
  }
  const heading = blocks.findIndex(({ scope }) => scope.tag === 'h1');
  const first = picked.findIndex((one, at) => one === 1 && isPost(at));
  for (let at = heading + 1; at < first; at++) {
    const isLong = sizeOf(blocks[at]?.text ?? '') >= openingLength;
    if (isLong && isOwn(at) && isPost(at) && (likely[at] ?? 0) >= likelyOpening) picked[at] = 1;
  }
}
