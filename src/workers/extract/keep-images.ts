import { type AnyNode, type Element, isTag } from 'domhandler';
import { imageUrl, pictureFile, pictureKey, resolveLink, sizeIn } from './addresses.ts';
import type { Block, Scope } from './blocks.ts';
import { groupIndex } from './class-words.ts';

export const isCaption = ({ scope }: Block): boolean => {
  for (let up: Scope | null = scope, n = 0; up !== null && n < 3; up = up.parent, n++) {
    if (up.tag === 'figcaption') return true;
  }
  return false;
};

/** A picture without text, or what is said of it. */
export const isAside = (block: Block): boolean => block.text === '' || isCaption(block);

/** CSS pixels: a picture that is stated to be so wide is no portrait of a writer, and no sign. */
const wide = 200;
const mostAbove = 4;
const fewestEntries = 3;
const mostToHolder = 40;
const mostNodes = 20;

const figureOf = ({ scope }: Block): Scope | null => {
  for (let up: Scope | null = scope, n = 0; up !== null && n < mostAbove; up = up.parent, n++)
    if (up.tag === 'figure') return up;
  return null;
};

const isPicture = (node: AnyNode): node is Element => isTag(node) && node.name === 'img';

/** The pictures of a block, or those that it is the caption of. */
function picturesOf(block: Block, blocks: readonly Block[]): Element[] {
  const figure = isCaption(block) ? figureOf(block) : null;
  const around =
    figure === null ? [block] : blocks.slice(figure.first, Math.min(figure.end, figure.first + mostAbove));
  return around.flatMap(({ nodes }) => nodes.slice(0, mostNodes)).filter(isPicture);
}

const statedSize = (picture: Element): number | null => sizeIn(picture, 'width') ?? sizeIn(picture, 'height');

/** Whether an image shows the picture of an address: at that, or in another size that is not stated to be small. */
export function showing(address: string | null, base: string): (image: Element) => boolean {
  const key = address === null ? null : pictureKey(address);
  return (image) => {
    const url = key === null ? null : imageUrl(image, base);
    if (url === null || url === address) return url !== null;
    return (statedSize(image) ?? wide) >= wide && pictureKey(url) === key;
  };
}

/** The address without its fragment that a node is a link to. */
function linkOf(node: AnyNode, base: string): string | null {
  for (let up: AnyNode | null = node.parent, n = 0; up !== null && n < mostAbove; up = up.parent, n++)
    if (isTag(up) && up.name === 'a')
      return resolveLink(up.attribs['href'], base)?.replace(/#.*/s, '') ?? null;
  return null;
}

/** Names of what stands in a page beside its text. */
const besideNames = (['ad', 'share', 'related', 'author'] as const).reduce(
  (bits, name) => bits | (1 << groupIndex[name]),
  0,
);

/** Whether it stands in a part that is no text of the page by its names, and that does not hold the text beside it. */
function isBeside({ scope, innerNames }: Block, text: number): boolean {
  if ((innerNames & besideNames) !== 0) return true;
  for (let up: Scope | null = scope, n = 0; up !== null && n < mostToHolder; up = up.parent, n++) {
    if (up.first <= text && text < up.end) return false;
    if (up.tag === 'aside' || (up.names & besideNames) !== 0) return true;
  }
  return false;
}

/** The innermost article, or the main part of the page, that a block stands in. */
function holderOf({ scope }: Block): Scope | null {
  for (let up: Scope | null = scope, n = 0; up !== null && n < mostToHolder; up = up.parent, n++)
    if (up.tag === 'article' || up.tag === 'main') return up;
  return null;
}

/** The innermost element that a block stands in with one of these texts. */
function sharedWith({ scope }: Block, texts: readonly number[]): Scope | null {
  let up: Scope | null = scope;
  for (let n = 0; up !== null && n < mostToHolder; up = up.parent, n++) {
    const { first, end } = up;
    if (texts.some((text) => first <= text && text < end)) return up;
  }
  return null;
}

/** Whether it is one of several entries of a list that a block and a text stand in. */
function isInEntry(block: Block, text: number): boolean {
  let up = sharedWith(block, [text]);
  for (let n = 0; up !== null && n < mostAbove; up = up.parent, n++)
    if (up.alike.length >= fewestEntries) return true;
  return false;
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
 * Blocks that are picked, and the pictures and captions between them: also what stands between the title and the text, at
 * the beginning or end of an article beside text of it, beside text that is left out, and in an entry of a list.
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
  const lastKept = new Int32Array(size).fill(-1);
  for (let i = 0, last = -1; i < size; i++) {
    lastKept[i] = last;
    if (picked[i] === 1 && !isAside(blocks[i] as Block)) last = i;
  }
  const nextKept = new Int32Array(size).fill(-1);
  for (let i = size - 1, next = -1; i >= 0; i--) {
    nextKept[i] = next;
    if (picked[i] === 1 && !isAside(blocks[i] as Block)) next = i;
  }
  const titleAt = around.titleAt ?? -1;
  const isKept = (at: number): boolean => at >= 0 && (picked[at] === 1 || at === titleAt);
  const firstText = titleAt < 0 ? -1 : picked.findIndex((one, i) => one === 1 && i > titleAt);
  const isLead = showing(around.lead, around.base);
  /** Whether it is a link to another page, which is not that of the text beside it: an entry of a list shows its own. */
  const isLinkedAway = (picture: Element, text: number): boolean => {
    const link = linkOf(picture, around.base);
    if (link === null || link === around.base.replace(/#.*/s, '') || pictureFile.test(link)) return false;
    return !blocks[text]?.nodes.slice(0, mostNodes).some((node) => linkOf(node, around.base) === link);
  };
  /** Whether the pictures of a block are there to be looked at with the text beside them: none is small, or a link away. */
  const isShown = (block: Block, text: number): boolean =>
    !isBeside(block, text) &&
    picturesOf(block, blocks).every(
      (picture) => isLead(picture) || ((statedSize(picture) ?? wide) >= wide && !isLinkedAway(picture, text)),
    );
  const isProminent = (block: Block): boolean =>
    figureOf(block) !== null ||
    picturesOf(block, blocks).some((one) => (sizeIn(one, 'width') ?? 0) >= wide || isLead(one));
  /** Whether a picture stands between the title and the first text, beside one of the two. */
  const isUnderTitle = (block: Block, above: number, below: number): boolean =>
    titleAt >= 0 &&
    above >= titleAt &&
    below <= firstText &&
    (above === titleAt || below === firstText) &&
    ((above === titleAt && below === firstText) || isProminent(block)) &&
    isShown(block, above === titleAt ? above : below);
  const isAtEdge = (block: Block, above: number, below: number): boolean => {
    const holder = around.titleAt === null ? null : holderOf(block);
    if (holder === null) return false;
    const [startsIt, endsIt] = [above < holder.first, below < 0 || below >= holder.end];
    const text = startsIt ? below : above;
    return startsIt !== endsIt && isKept(text) && isShown(block, text);
  };
  const leadAt = blocks.findIndex((block) => block.images > 0 && picturesOf(block, blocks).some(isLead));
  /** Whether a picture stands with the page's own in a gallery: what holds both holds no text, and stands with the title. */
  const isBesideLead = (block: Block, above: number, below: number): boolean => {
    const holder = titleAt < 0 || leadAt < 0 ? null : holderOf(block);
    if (holder === null || titleAt < holder.first || titleAt >= holder.end) return false;
    for (let up: Scope | null = block.scope; up !== null && up !== holder; up = up.parent) {
      if (above >= up.first || (below >= 0 && below < up.end)) return false;
      if (up.first <= leadAt && leadAt < up.end) return isProminent(block) && isShown(block, leadAt);
    }
    return false;
  };
  /** Whether text that is left out alone parts it from what is picked of the element that it stands in. */
  const isAmidst = (block: Block, above: number, below: number): boolean => {
    const holder = around.titleAt === null ? null : sharedWith(block, [above, below]);
    const [kept, next] = [lastKept[block.index] as number, nextKept[block.index] as number];
    if (holder === null || kept < holder.first || next < 0 || next >= holder.end) return false;
    return isProminent(block) && isShown(block, next);
  };
  /** Whether it is the picture of an entry of a list, and leads where a picked text beside it does. */
  const isOfEntry = (block: Block, text: number): boolean => {
    if (picked[text] !== 1 || !isInEntry(block, text) || !isShown(block, text)) return false;
    return picturesOf(block, blocks).some((picture) => linkOf(picture, around.base) !== null);
  };
  return blocks.filter((block, i) => {
    if (picked[i] === 1) return true;
    if (!isAside(block)) return false;
    const [above, below] = [before[i] as number, after[i] as number];
    if (picked[above] === 1 && picked[below] === 1) return true;
    if (around.titleAt !== null && (isOfEntry(block, above) || isOfEntry(block, below))) return true;
    return [isUnderTitle, isAtEdge, isBesideLead, isAmidst].some((isOne) => isOne(block, above, below));
  });
}
