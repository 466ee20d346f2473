import type { Element } from 'domhandler';
import type { Block, PageBlocks, Scope } from './blocks.ts';
import { groupIndex } from './class-words.ts';
import { userPath } from './page-facts.ts';
import { holdersOf } from './shown-dates.ts';
import { sizeOf } from './text-size.ts';

const comment = /(?:^|\s)comment(?:\s|$)/i;
const called = 1 << groupIndex.comment;
const fewest = 3;
/** Characters of a paragraph. */
const paragraph = 80;
/** So many paragraphs may open the talk. */
const mostOpening = 1;

const isComment = ({ element, hidden, names }: Scope): boolean =>
  !hidden && (names & called) !== 0 && comment.test(element.attribs['class']?.slice(0, 300) ?? '');

/**
 * Whether comments are most of what a page says: several, half of them or more by members, and outside of them at most
 * what opens a talk.
 */
export function holdsTalk({ blocks, scopes }: PageBlocks): boolean {
  const comments = scopes.filter(isComment);
  if (comments.length < fewest || linksToMembers(blocks) < comments.length / 2) return false;
  const within = new Uint8Array(blocks.length);
  let covered = 0;
  for (const { first, end } of comments) {
    if (end <= covered) continue;
    within.fill(1, Math.max(first, covered), end);
    covered = end;
  }
  let [inside, outside] = [0, 0];
  const opening: Block[] = [];
  for (const block of blocks) {
    const size = ownSize(block);
    if (within[block.index] === 1) inside += size;
    else outside += size;
    if (within[block.index] !== 1 && size >= paragraph) opening.push(block);
  }
  return inside > outside && opening.length <= mostOpening && !opening.some(isInArticle);
}

function linksToMembers(blocks: readonly Block[]): number {
  const found = new Set<Element>();
  for (const block of blocks) {
    for (const holder of block.linkChars > 0 ? holdersOf(block) : [])
      if (holder.name === 'a' && userPath.test(holder.attribs['href']?.slice(0, 500) ?? ''))
        found.add(holder);
  }
  return found.size;
}

/** Characters that are shown, and no link. */
const ownSize = ({ text, scope, linkChars }: Block): number =>
  scope.hidden ? 0 : Math.max(0, sizeOf(text) - linkChars);

function isInArticle({ scope }: Block): boolean {
  let up: Scope | null = scope;
  while (up !== null && up.tag !== 'article') up = up.parent;
  return up !== null;
}
