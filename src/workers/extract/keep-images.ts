import { type AnyNode, isTag } from 'domhandler';
import { imageUrl, sizeIn } from './addresses.ts';
import type { Block, Scope } from './blocks.ts';

export const isCaption = ({ scope }: Block): boolean => {
  for (let up: Scope | null = scope, n = 0; up !== null && n < 3; up = up.parent, n++) {
    if (up.tag === 'figcaption') return true;
  }
  return false;
};

const isAside = (block: Block): boolean => block.text === '' || isCaption(block);

/** CSS pixels: a picture that is stated to be so wide is no portrait of a writer, and no sign. */
const wide = 200;
const mostAbove = 4;
const mostToHolder = 40;

/** Whether a picture is there to be looked at: it stands in a figure, is wide, or is the one that stands for the page. */
function isProminent(
  { scope, nodes }: Block,
  { lead, base }: { lead: string | null; base: string },
): boolean {
  for (let up: Scope | null = scope, n = 0; up !== null && n < mostAbove; up = up.parent, n++)
    if (up.tag === 'figure') return true;
  return nodes.some(
    (node: AnyNode) =>
      isTag(node) &&
      node.name === 'img' &&
      ((sizeIn(node, 'width') ?? 0) >= wide || (lead !== null && imageUrl(node, base) === lead)),
  );
}

/** The innermost article, or the main part of the page, that a block stands in. */
function holderOf({ scope }: Block): Scope | null {
  for (let up: Scope | null = scope, n = 0; up !== null && n < mostToHolder; up = up.parent, n++)
    if (up.tag === 'article' || up.tag === 'main') return up;
  return null;
}

/** What is known of a page's pictures beside its blocks. */
interface Surroundings {
  /** The block of the title; null where what is content was asked for, and is not judged. */
  titleAt: number | null;
  /** The address of the picture that stands for the page. */
  lead: string | null;
  base: string;
}

/**
 * Blocks that are picked, and the pictures and captions between them: also what stands between the title and the text,
 * and at the beginning or end of an article beside text of it.
 */
export function keepImages(blocks: readonly Block[], picked: Uint8Array, around: Surroundings): Block[] {
  const size = blocks.length;
  const before = new Int32Array(size).fill(-1);
  for (let i = 0, last = -1; i < size; i++) {
    before[i] = last;
    if (!isAside(blocks[i] as Block)) last = i;
  }
  const after = new Int32Array(size).fill(-1);
  for (let i = size - 1, next = -1; i >= 0; i--) {
    after[i] = next;
    if (!isAside(blocks[i] as Block)) next = i;
  }
  const titleAt = around.titleAt ?? -1;
  const isKept = (at: number): boolean => at >= 0 && (picked[at] === 1 || at === titleAt);
  const firstText = titleAt < 0 ? -1 : picked.findIndex((one, i) => one === 1 && i > titleAt);
  /** Whether a picture stands between the title and the first text, beside one of the two. */
  const isUnderTitle = (block: Block, above: number, below: number): boolean =>
    titleAt >= 0 &&
    above >= titleAt &&
    below <= firstText &&
    (above === titleAt || below === firstText) &&
    isProminent(block, around);
  const isAtEdge = (block: Block, above: number, below: number): boolean => {
    const holder = around.titleAt === null ? null : holderOf(block);
    if (holder === null) return false;
    const [startsIt, endsIt] = [above < holder.first, below < 0 || below >= holder.end];
    return startsIt !== endsIt && isKept(startsIt ? below : above);
  };
  return blocks.filter((block, i) => {
    if (picked[i] === 1) return true;
    if (!isAside(block)) return false;
    const [above, below] = [before[i] as number, after[i] as number];
    if (isKept(above) && isKept(below)) return true;
    return isUnderTitle(block, above, below) || isAtEdge(block, above, below);
  });
}
