import { type Element, isTag } from 'domhandler';
import { imageUrl, pixels, resolveLink, sizeIn } from './addresses.ts';
import type { Block } from './blocks.ts';
import { showing } from './keep-images.ts';
import { walk } from './walk.ts';
import { collapse, isRecord, type PageFacts, textOf } from './page-facts.ts';
import { parseTree } from './parse-tree.ts';

export interface PageImage {
  url: string;
  alt: string | null;
  caption: string | null;
  /** As the page states it, in CSS pixels. */
  width: number | null;
  height: number | null;
}

const mostImages = 500;
const mostFigures = 3;
/** Things that a page may be, and has one picture of. */
const works = /Article$|Posting$|^Recipe$|^Product$|^Review$|^HowTo$|^WebPage$|^Event$|^CreativeWork$/;

/**
 * Images of the content in its order, the one that the page shows for itself first.
 * @param html of the content.
 * @param blocks of the page: where the lead stands elsewhere in it, that says what it shows.
 */
export function findImages(
  html: string,
  lead: PageImage | null,
  blocks: readonly Block[],
  base: string,
): PageImage[] {
  const found = new Map<string, PageImage>();
  if (lead !== null) found.set(lead.url, lead);
  const isLead = showing(lead?.url ?? null, base);
  /** From the outermost to the innermost. */
  const figures: Element[] = [];
  const keep = (element: Element): void => {
    const { src } = element.attribs;
    if (src === undefined || found.size >= mostImages) return;
    const url = lead !== null && isLead(element) ? lead.url : src;
    const image = imageOf(element, src, figures);
    const known = found.get(url);
    if (known === undefined) found.set(url, image);
    else found.set(url, known === lead ? shownAs(image, lead) : fill(known, image));
  };
  walk(
    parseTree(html),
    (element) => {
      if (element.name === 'figure') figures.push(element);
      if (element.name === 'img') keep(element);
      return true;
    },
    (element) => {
      if (element.name === 'figure') figures.pop();
    },
    () => undefined,
  );
  if (lead !== null && found.get(lead.url) === lead) {
    const shown = findShown(isLead, blocks);
    const url = shown === null ? null : imageUrl(shown, base);
    if (shown !== null && url !== null)
      found.set(lead.url, shownAs(imageOf(shown, url, figuresAround(shown)), lead));
  }
  return [...found.values()].slice(0, mostImages);
}

/** The first image of this kind, wherever on the page. */
function findShown(isOne: (image: Element) => boolean, blocks: readonly Block[]): Element | null {
  for (const { images, nodes } of blocks) {
    if (images === 0) continue;
    for (const node of nodes) if (isTag(node) && node.name === 'img' && isOne(node)) return node;
  }
  return null;
}

const mostAbove = 8;

/** From the outermost to the innermost. */
function figuresAround(image: Element): Element[] {
  const figures: Element[] = [];
  for (let up = image.parent, n = 0; up !== null && isTag(up) && n < mostAbove; up = up.parent, n++)
    if (up.name === 'figure') figures.unshift(up);
  return figures;
}

const imageOf = (element: Element, url: string, figures: readonly Element[]): PageImage => ({
  url,
  alt: collapse(element.attribs['alt'] ?? '') || null,
  caption: captionOf(figures),
  width: sizeIn(element, 'width'),
  height: sizeIn(element, 'height'),
});

const isSized = ({ width, height }: PageImage): boolean => width !== null || height !== null;

/** An image with what another one of the same picture says where it says nothing. */
const fill = (image: PageImage, other: PageImage): PageImage => {
  const { width, height } = isSized(image) ? image : other;
  return { ...image, alt: image.alt ?? other.alt, caption: image.caption ?? other.caption, width, height };
};

/** The lead as the page shows it. A size stated for another address of it counts where the lead's is not stated. */
const shownAs = (image: PageImage, lead: PageImage): PageImage => {
  const { width, height } = image.url !== lead.url && isSized(lead) ? lead : image;
  return fill({ ...image, url: lead.url, width, height }, lead);
};

/** The own caption of the innermost figure that has one: a gallery's is that of its pictures where they have none. */
function captionOf(figures: readonly Element[]): string | null {
  for (const { children } of figures.slice(-mostFigures).toReversed()) {
    const caption = children.find((child) => isTag(child) && child.name === 'figcaption') as
      Element | undefined;
    const text = caption === undefined ? '' : textOf(caption);
    if (text !== '') return text;
  }
  return null;
}

/** The picture that the page states to stand for it. */
export function leadImage(facts: PageFacts): PageImage | null {
  const { meta, base } = facts;
  const told =
    meta.get('og:image:secure_url') ??
    meta.get('og:image') ??
    meta.get('og:image:url') ??
    meta.get('twitter:image') ??
    facts.leadImage;
  const url = resolveLink(told ?? undefined, base);
  if (url === null || !/^https?:/.test(url)) return imageOfThings(facts);
  return {
    url,
    alt: collapse(meta.get('og:image:alt') ?? '') || null,
    caption: null,
    width: pixels(meta.get('og:image:width')),
    height: pixels(meta.get('og:image:height')),
  };
}

/** The picture of what the structured data say that the page is. */
function imageOfThings({ things, base }: PageFacts): PageImage | null {
  for (const { types, value, depth, aside } of things) {
    if (aside || depth > 1 || !types.some((type) => works.test(type))) continue;
    const image: unknown = [value['image']].flat()[0];
    const { url: own, contentUrl, width, height } = isRecord(image) ? image : { url: image };
    const told = own ?? contentUrl;
    const url = typeof told === 'string' ? resolveLink(told, base) : null;
    if (url === null || !/^https?:/.test(url)) continue;
    return { url, alt: null, caption: null, width: sizeOf(width), height: sizeOf(height) };
  }
  return null;
}

/** A number, a text with its unit, or a quantity. */
const sizeOf = (value: unknown): number | null => pixels(String(isRecord(value) ? value['value'] : value));
