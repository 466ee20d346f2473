import { getDomain } from 'tldts';
import { styleOf } from '../html/hidden-elements.ts';
import { isHidden } from './page-region.ts';

const frameNames = /^(frame|iframe|object)$/;
const htmlType = /^\s*(text\/html|application\/xhtml\+xml)\b/i;
/** A name without an extension is that of a page as a rule. */
const pageName = /^[^.]*$|\.(x?html?|php|aspx?|jsp)$/i;
const nothing = /^\s*($|about:|javascript:|#)/i;
/** CSS pixels; what is smaller shows nothing to a reader. */
const leastSize = 20;
const styledSize = /(?:^|[;\s])(?:width|height)\s*:([^;]*)/gi;
const length = /^\s*(\d{1,9}(?:\.\d{1,9})?)\s*(px|[a-z%]*)\s*(?:!|$)/i;
const farOff = /(?:^|[;\s])(?:left|right|top|bottom)\s*:\s*-(?:999|\d{4})/i;

/**
 * The address of the page that an element shows within its own, as it is written; empty where its text stands in the element.
 * Null where it shows none.
 */
export function shownPageOf(name: string, attributes: ReadonlyMap<string, string>): string | null {
  if (!frameNames.test(name)) return null;
  if (isHidden(attributes) || isSmall(attributes) || farOff.test(styleOf(attributes))) return null;
  if (name === 'iframe' && attributes.has('srcdoc')) return '';
  const source = attributes.get(name === 'object' ? 'data' : 'src') ?? '';
  if (nothing.test(source)) return null;
  if (name !== 'object') return source;
  const type = attributes.get('type') ?? '';
  if (type !== '') return htmlType.test(type) ? source : null;
  const [path = ''] = source.split(/[?#]/, 1);
  const isPage = !attributes.has('classid') && pageName.test(path.slice(path.lastIndexOf('/') + 1));
  return isPage ? source : null;
}

/** Players, maps and what a reader may like stand on other sites. */
export function isOfSite(source: string, base: string, url: string): boolean {
  const [site, own] = [URL.parse(source.trim(), base), URL.parse(url)].map(
    (address) => address && (getDomain(address.hostname, { allowPrivateDomains: true }) ?? address.host),
  );
  return site === own;
}

function isSmall(attributes: ReadonlyMap<string, string>): boolean {
  const styled = [...styleOf(attributes).matchAll(styledSize)].map(([, size]) => size);
  return [attributes.get('width'), attributes.get('height'), ...styled].some((size) => {
    const [, number, unit = ''] = length.exec(size ?? '') ?? [];
    if (number === undefined) return false;
    return Number(number) === 0 || (/^(px)?$/i.test(unit) && Number(number) < leastSize);
  });
}
