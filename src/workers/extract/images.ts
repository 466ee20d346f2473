import type { Element } from 'domhandler';
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

/** Images of the content in its order, the one that the page shows for itself first. */
export function findImages(html: string, facts: PageFacts): PageImage[] {
  const found = new Map<string, PageImage>();
  const lead = leadImage(facts);
  if (lead !== null) found.set(lead.url, lead);
  let figure: Element | null = null;
  walk(
    parseTree(html),
    (element) => {
      if (element.name === 'figure') figure ??= element;
      if (element.name === 'img') keep(element, figure, found);
      return true;
    },
    (element) => {
      if (element === figure) figure = null;
    },
    () => undefined,
  );
  return [...found.values()].slice(0, mostImages);
}

function keep({ attribs }: Element, figure: Element | null, found: Map<string, PageImage>): void {
  const url = attribs['src'];
  if (url === undefined || found.size >= mostImages) return;
  const image: PageImage = {
    url,
    alt: collapse(attribs['alt'] ?? '') || null,
    caption: figure === null ? null : captionOf(figure),
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

function captionOf(figure: Element): string | null {
  let caption: string | null = null;
  walk(
    figure,
    (element) => {
      if (element.name === 'figcaption') caption ??= textOf(element) || null;
      return caption === null;
    },
    () => undefined,
    () => undefined,
  );
  return caption;
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
