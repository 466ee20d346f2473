import type { PageLink } from '../../../shared/schemas/scraped-page.ts';
import { encodeQuery } from './query-encoding.ts';
import { type HtmlHandlers, scanHtml } from './scan-html.ts';

/** Links of one page that are kept. */
const maxLinks = 20_000;
/** Characters of a link's text that are kept. */
const maxAnchor = 500;

export interface FoundLink extends PageLink {
  /** It shows an image and no text; its `anchor` is what the image is called. */
  image?: boolean;
}

export interface LinkReader extends HtmlHandlers {
  resolve(href: string): string | null;
  /** In the order of the page, each URL once, with the first text that it has. */
  links(): FoundLink[];
}

/** Texts that collapsing leaves as they are: most of them. */
const collapsed = /^(?:\S+(?: \S+)*)?$/;

function collapse(text: string): string {
  const short = text.length <= maxAnchor && collapsed.test(text);
  return short ? text : text.replace(/\s+/g, ' ').trim().slice(0, maxAnchor).toWellFormed();
}

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

/** As `resolveLink`; the links that most pages have most of need no parsing. */
function createResolver(base: string, charset: string | null): (href: string) => string | null {
  const origin = /^https?:\/\/[^/?#]+/.exec(base)?.[0] ?? '';
  return (href) => {
    const path = href.startsWith(origin) ? href.slice(origin.length) : href;
    return plainPath.test(path) && !path.includes('/.') ? origin + path : resolveLink(href, base, charset);
  };
}

/**
 * Gathers the links of a page; `url` is where the page came from, unless it has a `<base>`.
 * @param charset of the page; null where that is not known.
 */
export function createLinkReader(url: string, charset: string | null = null): LinkReader {
  const found = new Map<string, FoundLink>();
  let resolve = createResolver(url, charset);
  let baseSeen = false;
  let open: { link: FoundLink | null; text: string; hasImage: boolean; hasText: boolean } | null = null;

  function close(): void {
    if (open?.link && open.link.anchor === '') {
      open.link.anchor = collapse(open.text);
      if (open.hasImage && !open.hasText) open.link.image = true;
    }
    open = null;
  }
  function follow(
    href: string | undefined,
    attributes: ReadonlyMap<string, string>,
    anchor: string,
  ): FoundLink | null {
    const to = href === undefined ? null : resolve(href);
    if (to === null) return null;
    const known = found.get(to);
    if (known !== undefined) return known;
    if (found.size >= maxLinks) return null;
    const link = { url: to, anchor: collapse(anchor), rel: collapse(attributes.get('rel') ?? '') };
    found.set(to, link);
    return link;
  }

  return {
    resolve: (href) => resolve(href),
    onStartTag(name, attributes) {
      if (name === 'a') {
        // A link never holds another: the second ends the first, closed or not.
        close();
        // Links of SVG have either; those of HTML the first only.
        const href = attributes.get('href') ?? attributes.get('xlink:href');
        open = {
          link: follow(href, attributes, ''),
          text: '',
          hasImage: false,
          hasText: false,
        };
      } else if (name === 'area') follow(attributes.get('href'), attributes, attributes.get('alt') ?? '');
      else if (name === 'frame') {
        follow(attributes.get('src'), attributes, attributes.get('title') ?? attributes.get('name') ?? '');
      } else if (name === 'img' && open !== null) {
        open.text += ` ${attributes.get('alt') ?? ''} `;
        open.hasImage = true;
      } else if (name === 'base' && !baseSeen && attributes.has('href')) {
        baseSeen = true;
        resolve = createResolver(resolveLink(attributes.get('href') ?? '', url, charset) ?? url, charset);
      }
    },
    onText(text) {
      if (open === null || open.text.length >= 4 * maxAnchor) return;
      open.text += text;
      open.hasText ||= /\S/.test(text);
    },
    onEndTag(name) {
      if (name === 'a') close();
    },
    links() {
      close();
      return [...found.values()];
    },
  };
}

export function readLinks(html: string, url: string, charset: string | null = null): FoundLink[] {
  const reader = createLinkReader(url, charset);
  scanHtml(html, reader);
  return reader.links();
}
