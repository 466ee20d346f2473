import { type Element, isTag } from 'domhandler';
import { pixels, resolveLink } from './addresses.ts';
import { walk } from './walk.ts';
import { collapse, type PageFacts, textOf } from './page-facts.ts';
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

/** Images of the content in its order, the one that the page shows for itself first. */
export function findImages(html: string, facts: PageFacts): PageImage[] {
  const found = new Map<string, PageImage>();
  const lead = leadImage(facts);
  if (lead !== null) found.set(lead.url, lead);
  /** From the outermost to the innermost. */
  const figures: Element[] = [];
  walk(
    parseTree(html),
    (element) => {
      if (element.name === 'figure') figures.push(element);
      if (element.name === 'img') keep(element, figures, found);
      return true;
    },
    (element) => {
      if (element.name === 'figure') figures.pop();
    },
    () => undefined,
  );
  return [...found.values()].slice(0, mostImages);
}

function keep({ attribs }: Element, figures: readonly Element[], found: Map<string, PageImage>): void {
  const url = attribs['src'];
  if (url === undefined || found.size >= mostImages) return;
  const image: PageImage = {
    url,
    alt: collapse(attribs['alt'] ?? '') || null,
    caption: captionOf(figures),
    width: pixels(attribs['width']),
    height: pixels(attribs['height']),
  };
  const known = found.get(url);
  found.set(
    url,
    known === undefined
      ? image
      : {
          ...image,
          alt: image.alt ?? known.alt,
          width: image.width ?? known.width,
          height: image.height ?? known.height,
        },
  );
}

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

function leadImage(facts: PageFacts): PageImage | null {
  const told =
    facts.meta.get('og:image:secure_url') ??
    facts.meta.get('og:image') ??
    facts.meta.get('og:image:url') ??
    facts.meta.get('twitter:image');
  const url = resolveLink(told, facts.base);
  if (url === null || !/^https?:/.test(url)) return null;
  return {
    url,
    alt: collapse(facts.meta.get('og:image:alt') ?? '') || null,
    caption: null,
    width: pixels(facts.meta.get('og:image:width')),
    height: pixels(facts.meta.get('og:image:height')),
  };
}
