import { encodeQuery } from './query-encoding.ts';

/**
 * @param charset of the document in which it stands; null where that is not known.
 * @returns absolute, without its fragment; null for anything but http and https.
 */
export function resolveLink(href: string, base: string, charset: string | null = null): string | null {
  const url = URL.parse(encodeQuery(href.trim(), charset), base);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
  if (url.username !== '' || url.password !== '') return null;
  url.hash = '';
  return url.href;
}

/** Paths that the URL parser leaves as they are. */
const plainPath = /^\/(?!\/)[\w\-~!$&()*+,;=:@/?.]*$/;

export type LinkResolver = (href: string) => string | null;

/** As `resolveLink`; the links that most pages have most of need no parsing. */
export function createResolver(base: string, charset: string | null): LinkResolver {
  const origin = /^https?:\/\/[^/?#]+/.exec(base)?.[0] ?? '';
  return (href) => {
    const path = href.startsWith(origin) ? href.slice(origin.length) : href;
    return plainPath.test(path) && !path.includes('/.') ? origin + path : resolveLink(href, base, charset);
  };
}
