import type { PageLink } from '../../../shared/schemas/scraped-page.ts';
import { createResolver, type LinkResolver } from './resolve-link.ts';
import { type HtmlHandlers, scanHtml } from './scan-html.ts';
import { UnseenElements } from './unseen-elements.ts';

/** Links of one page that are kept. */
const maxLinks = 20_000;
/** Characters of a link's text that are kept. */
const maxAnchor = 500;

export interface FoundLink extends PageLink {
  /** It shows an image and no text; its `anchor` is what the image is called. */
  image?: boolean;
}

export interface LinkReader extends HtmlHandlers {
  /** In the order of the page, each URL once, with the first text that it has. */
  links(): FoundLink[];
}

/** Elements whose text is no part of the link that they stand in. */
const unseenElements = 'script style noscript template textarea iframe noembed noframes'.split(' ');

interface OpenLink {
  link: FoundLink | null;
  text: string;
  hasImage: boolean;
  hasText: boolean;
  /** The unseen element that it stands in itself, such as a template. */
  within: string | null;
}

/** Texts that collapsing leaves as they are: most of them. */
const collapsed = /^(?:\S+(?: \S+)*)?$/;

function collapse(text: string): string {
  const short = text.length <= maxAnchor && collapsed.test(text);
  return short ? text : text.replace(/\s+/g, ' ').trim().slice(0, maxAnchor).toWellFormed();
}

/** Gathers the links of a page as its tags come by. */
export function createLinkReader(resolve: LinkResolver): LinkReader {
  const found = new Map<string, FoundLink>();
  const unseen = new UnseenElements(unseenElements);
  let open: OpenLink | null = null;

  /** Whether what comes now is a part of that link. */
  const isShown = ({ within }: OpenLink): boolean => unseen.inside === null || unseen.inside === within;

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
    onStartTag(name, attributes) {
      unseen.start(name, attributes);
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
          within: unseen.inside,
        };
      } else if (name === 'area') follow(attributes.get('href'), attributes, attributes.get('alt') ?? '');
      else if (name === 'frame') {
        follow(attributes.get('src'), attributes, attributes.get('title') ?? attributes.get('name') ?? '');
      } else if (name === 'img' && open !== null && isShown(open)) {
        open.text += ` ${attributes.get('alt') ?? ''} `;
        open.hasImage = true;
      }
    },
    onText(text) {
      if (open === null || !isShown(open) || open.text.length >= 4 * maxAnchor) return;
      open.text += text;
      open.hasText ||= /\S/.test(text);
    },
    onEndTag(name) {
      unseen.end(name);
      if (name === 'a') close();
    },
    links() {
      close();
      return [...found.values()];
    },
  };
}

/**
 * @param base what the links are relative to: `base` of the page's head.
 * @param charset of the page; null where that is not known.
 */
export function readLinks(html: string, base: string, charset: string | null = null): FoundLink[] {
  const reader = createLinkReader(createResolver(base, charset));
  scanHtml(html, reader);
  return reader.links();
}
