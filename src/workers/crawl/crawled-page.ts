import { createLinkReader, type FoundLink } from '../page/html/page-links.ts';
import { robotsSay } from '../page/html/robots-directives.ts';
import { scanTags } from '../page/html/scan-tags.ts';

export interface CrawledPage {
  title: string | null;
  canonical: string | null;
  /** False where `<meta name=robots>` asks not to follow its links. */
  follows: boolean;
  /** True where it asks to be in no index. */
  noindex: boolean;
  links: FoundLink[];
}

const tags = new Set(['a', 'area', 'base', 'img', 'link', 'meta', 'svg', 'title']);
const textIn = new Set(['a', 'title']);
const collapse = (text: string) => text.replace(/\s+/g, ' ').trim();

/** What a crawl wants of a page, in one pass. */
export function readCrawledPage(html: string, url: string): CrawledPage {
  const links = createLinkReader(url);
  let title: string | null = null;
  let titleText: string | null = null;
  let svgDepth = 0;
  let canonical: string | null = null;
  let follows = true;
  let noindex = false;
  scanTags(html, {
    tags,
    textIn,
    onStartTag(name, attributes) {
      if (name === 'svg') svgDepth++;
      else if (name === 'title') titleText = svgDepth === 0 && title === null ? '' : null;
      else if (name === 'link') {
        if (/(^|\s)canonical(\s|$)/i.test(attributes.get('rel') ?? '')) {
          const href = attributes.get('href')?.trim() ?? '';
          if (href !== '') canonical ??= links.resolve(href);
        }
      } else if (name === 'meta') {
        const isForRobots = /^(robots|quarry)$/i.test(attributes.get('name')?.trim() ?? '');
        if (!isForRobots) return;
        const content = attributes.get('content');
        if (robotsSay(content, 'nofollow')) follows = false;
        if (robotsSay(content, 'noindex')) noindex = true;
      } else links.onStartTag(name, attributes);
    },
    onText(text) {
      if (titleText === null) links.onText(text);
      else titleText += text;
    },
    onEndTag(name) {
      links.onEndTag(name);
      if (name === 'svg') svgDepth = Math.max(0, svgDepth - 1);
      if (name !== 'title' || titleText === null) return;
      title = collapse(titleText);
      titleText = null;
    },
  });
  return { title, canonical, follows, noindex, links: links.links() };
}
