import type { Block, PageBlocks, Scope } from './blocks.ts';
import { countInk } from './text-size.ts';

const fewestItems = 3;
/** A longer one is a part of the page by itself, no entry of a list. */
const mostItemWords = 120;
const mostNameWords = 25;
/** So much of a name without a heading is a link. */
const nameLinked = 0.8;
const heading = /^h[2-6]$/;

/**
 * Keeps the name of each item of a list of which the page's text tells something else: what is said of things is worth
 * little without their names.
 * @param words of each block.
 * @param beside of each block, whether it stands in a menu, a foot or the like.
 */
export function keepNames(
  { blocks, scopes }: PageBlocks,
  words: readonly number[],
  beside: readonly boolean[],
  picked: Uint8Array,
): void {
  const seen = new Set<readonly Scope[]>();
  for (const { alike } of scopes) {
    if (alike.length < fewestItems || seen.has(alike)) continue;
    seen.add(alike);
    const names = alike.map((item) => nameOf(item, blocks, words, beside));
    const told = alike.filter(({ first, end }, n) => {
      for (let i = first; i < end; i++) if (i !== names[n] && picked[i] === 1) return true;
      return false;
    });
    if (told.length * 2 < alike.length || told.length < fewestItems) continue;
    for (const at of names) if (at >= 0) picked[at] = 1;
  }
}

/** The first line of an item that is a heading, or a link; -1 where it has none. */
function nameOf(
  item: Scope,
  blocks: readonly Block[],
  words: readonly number[],
  beside: readonly boolean[],
): number {
  const { first, end, hidden } = item;
  let [linked, all] = [-1, 0];
  let name = -1;
  for (let i = first; i < end; i++) {
    const { text, scope, linkChars } = blocks[i] as Block;
    if (text === '') continue;
    const own = words[i] ?? 0;
    all += own;
    if (all > mostItemWords) return -1;
    if (own > mostNameWords || (beside[i] === true && !isInHead(scope, item))) continue;
    if (name < 0 && heading.test(scope.tag)) name = i;
    if (linked < 0 && linkChars > 0 && linkChars >= nameLinked * countInk(text)) linked = i;
  }
  return hidden ? -1 : Math.max(name, name < 0 ? linked : -1);
}

/** Whether it stands in a head of the item's own. */
function isInHead(scope: Scope, item: Scope): boolean {
  for (let up: Scope | null = scope; up !== null && up !== item; up = up.parent)
    if (up.tag === 'header') return true;
  return false;
}
