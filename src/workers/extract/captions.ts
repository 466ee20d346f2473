import type { Document, Element } from 'domhandler';
import { countInk } from './text-size.ts';
import { walk } from './walk.ts';

/** What has such a name, no picture, and stands with one in a small element: `wp-caption-text`, `thumbcaption`. */
const captionName = /(?:^|[\s_-])[a-z]{0,20}caption(?:[\s_-]|$)/i;
const captionTags = new Set('div p span small em i'.split(' '));
const holderTags = new Set('div p section figure'.split(' '));
/** Cards of goods and slides have such names too; what stands in these is more than a caption. */
const tooMuch = /^(?:h[1-6]|ul|ol|dl|table|pre|blockquote|button|form|input|figcaption)$/;
const silent = /^(?:svg|script|style|template)$/;
const longestCaption = 1_000;
/** Characters beside a caption: who has taken the picture, what enlarges it. */
const mostBeside = 60;
const mostLevels = 4;

/** A sign beside a caption, such as what enlarges the picture, has at most so many pixels. */
const largestSign = 24;

/** What was told of an element until its end: characters, those in links, pictures. */
interface Told {
  ink: number;
  linked: number;
  pictures: number;
  isMore: boolean;
  /** The last element in it that may be a caption, and how deep it stands. */
  caption: { element: Element; ink: number; depth: number } | null;
}

/** Makes a picture and what its page calls the caption of it a `figure` with a `figcaption`. */
export function replaceCaptions(tree: Document): void {
  const open: Told[] = [{ ink: 0, linked: 0, pictures: 0, isMore: false, caption: null }];
  let links = 0;
  walk(
    tree,
    ({ name, attribs }) => {
      if (silent.test(name)) return false;
      if (name === 'a') links++;
      const isPicture = name === 'img' && Number(attribs['width'] ?? Infinity) > largestSign;
      const isMore = tooMuch.test(name);
      open.push({ ink: 0, linked: 0, pictures: isPicture ? 1 : 0, isMore, caption: null });
      return true;
    },
    (element) => {
      if (element.name === 'a') links--;
      const own = open.pop() as Told;
      const depth = open.length;
      if (isCaption(element, own) && links === 0) own.caption = { element, ink: own.ink, depth };
      else if (own.caption !== null && own.pictures > 0) {
        if (isHolder(element, own) && own.caption.depth - depth <= mostLevels) {
          element.name = 'figure';
          own.caption.element.name = 'figcaption';
        }
        own.caption = null;
      }
      const around = open.at(-1) as Told;
      around.ink += own.ink;
      around.linked += own.linked;
      around.pictures += own.pictures;
      around.isMore ||= own.isMore;
      around.caption = own.caption ?? around.caption;
    },
    ({ data }) => {
      const ink = countInk(data);
      const around = open.at(-1) as Told;
      around.ink += ink;
      if (links > 0) around.linked += ink;
    },
  );
}

const isCaption = ({ name, attribs }: Element, { ink, linked, pictures, isMore }: Told): boolean =>
  captionTags.has(name) &&
  captionName.test(attribs['class']?.slice(0, 300) ?? '') &&
  ink > 0 &&
  ink <= longestCaption &&
  linked * 2 <= ink &&
  pictures === 0 &&
  !isMore;

const isHolder = ({ name }: Element, { ink, pictures, isMore, caption }: Told): boolean =>
  holderTags.has(name) && pictures === 1 && !isMore && ink - (caption?.ink ?? 0) <= mostBeside;
