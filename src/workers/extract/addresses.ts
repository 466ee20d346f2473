import { type AnyNode, type Document, type Element, isTag } from 'domhandler';
import { encodeQuery } from '../page/html/query-encoding.ts';
import { walk } from './walk.ts';

const maxUrl = 8_192;
/** Of a `picture`, with the spaces between them. */
const mostChildren = 40;

/** Absolute, http, https or mailto; null for what leads nowhere. */
export function resolveLink(href: string | undefined, base: string): string | null {
  const text = href?.trim() ?? '';
  if (text === '' || text.length > maxUrl || !URL.canParse(text, base)) return null;
  const { href: absolute, protocol } = new URL(text, base);
  return /^(?:https?|mailto|tel):$/.test(protocol) ? absolute : null;
}

const lazySources = [
  'data-src',
  'data-lazy-src',
  'data-original',
  'data-hi-res-src',
  'data-image',
  'data-srcset',
  'data-lazy-srcset',
];
const addressAttributes = new Set(['href', 'src', 'srcset', 'poster', 'cite', ...lazySources]);

/** Escapes the queries of all addresses of a page as its encoding has them, so that it no longer matters further on. */
export function encodeAddresses(tree: Document, charset: string | null): void {
  if (encodeQuery('?\xe4', charset) === '?\xe4') return;
  const encode = ({ attribs }: Element): boolean => {
    for (const [name, value] of Object.entries(attribs)) {
      if (!addressAttributes.has(name) || !value.includes('?')) continue;
      attribs[name] = name.endsWith('srcset')
        ? value.replace(/\S+/g, (part) => encodeQuery(part, charset))
        : encodeQuery(value, charset);
    }
    return true;
  };
  walk(
    tree,
    encode,
    () => undefined,
    () => undefined,
  );
}

/** Names of pictures that often hold the place of another, and of those that show nothing. */
const placeholder = /(?:blank|spacer|placeholder|pixel|transparent)[\w-]{0,200}\.(?:gif|png|svg)/i;
const spacer = /(?:^|\/)(?:blank|spacer|placeholder|pixel|transparent)[\d_x-]*\.(?:gif|png|svg)/i;
const isSet = /\s\d+(?:\.\d+)?[wx]\s*(?:,|$)/;
const setEntry = /([^\s,]\S*)(?:\s+([\d.]+)[wx](?=[\s,]|$))?/g;

/** The largest of a `srcset`. */
function bestOfSet(srcset: string): string | undefined {
  let best: string | undefined;
  let most = -1;
  for (const [, url = '', size = '0'] of srcset.slice(0, 20_000).matchAll(setEntry)) {
    const value = Number.parseFloat(size);
    if (value > most) [best, most] = [url.replace(/(?<!,),+$/, ''), value];
  }
  return best;
}

/** What a `picture` offers before its `img`. */
function pictureSources(image: Element): (string | undefined)[] {
  const { parent } = image;
  if (parent === null || !isTag(parent) || parent.name !== 'picture') return [];
  const children = parent.children.slice(0, mostChildren);
  if (!children.includes(image)) return [];
  return children
    .filter((child) => isTag(child))
    .filter(({ name }) => name === 'source')
    .slice(0, 20)
    .map(({ attribs }) => attribs['srcset'] || attribs['data-srcset']);
}

/** Where an image really is: lazy loading keeps it elsewhere than in `src`. Null for dots and data. */
export function imageUrl(element: Element, base: string): string | null {
  const { attribs } = element;
  const source = attribs['src'];
  const lazy = lazySources
    .map((name) => attribs[name])
    .filter((one) => one !== undefined && /[./]/.test(one));
  const rest = [attribs['srcset'], ...pictureSources(element)];
  const isPlaceholder = source === undefined || placeholder.test(source);
  const last = source === undefined || spacer.test(source) ? [] : [source];
  for (const candidate of isPlaceholder ? [...lazy, ...rest, ...last] : [...lazy, source, ...rest]) {
    // Braces are to be filled in by a script.
    if (candidate === undefined || candidate.startsWith('data:') || /[{}]/.test(candidate)) continue;
    const url = resolveLink(isSet.test(candidate) ? bestOfSet(candidate) : candidate, base);
    if (url !== null && /^https?:/.test(url)) return url;
  }
  return null;
}

export const pictureFile = /\.(?:avif|gif|jpe?g|png|svg|webp)(?:[?]|$)/i;

/** What asks for a picture in a size or a form. */
const sizeParameter =
  /^(?:(?:w|h|width|height|quality|dpr)=\d+(?:\.\d+)?(?:px)?$|(?:fit|resize|auto|fm|format)=)/i;
/** Where the path names the picture; elsewhere it may be told by these. */
const fileParameter = /^(?:size|q)=\d+(?:px)?$/i;

/** What addresses of one picture have in common: not the scheme, nor what they say of its size and form. */
export function pictureKey(address: string): string {
  const url = URL.parse(address);
  if (url === null) return address;
  const isFile = pictureFile.test(url.pathname);
  const named = url.search
    .slice(1)
    .split('&')
    .filter((one) => !sizeParameter.test(one) && !(isFile && fileParameter.test(one)));
  return `${url.host}${url.pathname}?${named.join('&')}`;
}

/** An image in `noscript` beside the one that stands for it where scripts run. */
export function isFallback(image: Element, base: string): boolean {
  let holder: AnyNode | null = image.parent;
  for (let n = 0; n < 2 && holder !== null && isTag(holder) && holder.name !== 'noscript'; n++)
    holder = holder.parent;
  if (holder === null || !isTag(holder) || holder.name !== 'noscript') return false;
  return [holder.prev, holder.next].some((beside) => {
    const one = beside !== null && isTag(beside) ? beside : null;
    const shown =
      one?.name === 'picture'
        ? one.children.slice(0, mostChildren).find((child) => isTag(child) && child.name === 'img')
        : one;
    return (
      shown !== undefined &&
      shown !== null &&
      isTag(shown) &&
      shown.name === 'img' &&
      imageUrl(shown, base) !== null
    );
  });
}

export const pixels = (text: string | undefined): number | null => {
  const value = /^\s*(\d{1,5})(?:\.\d+)?\s*(?:px\s*)?$/.exec(text ?? '')?.[1];
  return value === undefined ? null : Number(value);
};

/** What an element says of its size, by an attribute or its style; in CSS pixels. */
export const sizeIn = ({ attribs }: Element, name: 'width' | 'height'): number | null =>
  pixels(attribs[name]) ?? pixels(styledSize[name].exec(attribs['style']?.slice(0, 1_000) ?? '')?.[1]);
const styledSize = {
  width: /(?:^|;)\s*width\s*:\s*([^;]{1,20})/i,
  height: /(?:^|;)\s*height\s*:\s*([^;]{1,20})/i,
};

/** Dots that count visitors. What is hidden is none for that: slideshows hide all pictures but the first. */
export function isTrackingPixel(element: Element): boolean {
  const sizes = [sizeIn(element, 'width'), sizeIn(element, 'height')];
  return sizes.every((size) => size !== null && size <= 2);
}
