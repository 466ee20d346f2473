import { createLinkReader, resolveLink } from '../page/page-links.ts';
import { scanHtml } from '../page/scan-html.ts';

export interface CrawledPage {
  title: string | null;
  canonical: string | null;
  /** False where `<meta name=robots>` asks not to follow its links. */
  follows: boolean;
  links: { url: string; anchor: string; rel: string }[];
}

const collapse = (text: string) => text.replace(/\s+/g, ' ').trim();

/** What a crawl wants of a page, in one pass. */
export function readCrawledPage(html: string, url: string): CrawledPage {
  const links = createLinkReader(url);
  let title: string | null = null;
  let titleText: string | null = null;
  let svgDepth = 0;
  let canonical: string | null = null;
  let follows = true;
  scanHtml(html, {
    onStartTag(name, attributes) {
      links.onStartTag(name, attributes);
      if (name === 'svg') svgDepth++;
      else if (name === 'title' && svgDepth === 0 && title === null) titleText = '';
      else if (name === 'link' && /(^|\s)canonical(\s|$)/i.test(attributes.get('rel') ?? '')) {
        canonical ??= resolveLink(attributes.get('href') ?? '', url);
      } else if (name === 'meta' && /^(robots|quarry)$/i.test(attributes.get('name')?.trim() ?? '')) {
        if (/\b(nofollow|none)\b/i.test(attributes.get('content') ?? '')) follows = false;
      }
    },
    onText(text) {
      links.onText(text);
      if (titleText !== null) titleText += text;
    },
    onEndTag(name) {
      links.onEndTag(name);
      if (name === 'svg') svgDepth = Math.max(0, svgDepth - 1);
      if (name !== 'title' || titleText === null) return;
      title = collapse(titleText);
      titleText = null;
    },
  });
  return { title, canonical, follows, links: links.links() };
}
