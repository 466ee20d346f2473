import { createLinkReader, type FoundLink } from '../page/html/page-links.ts';
import { robotsSay } from '../page/html/robots-directives.ts';
import { scanTags } from '../page/html/scan-tags.ts';
import { readRefresh, soonestRefresh } from '../page/load/refresh.ts';

export interface CrawledPage {
  title: string | null;
  canonical: string | null;
  /** False where `<meta name=robots>` asks not to follow its links. */
  follows: boolean;
  /** True where it asks to be in no index. */
  noindex: boolean;
  /** Where a refresh within seconds leads; null where there is none. */
  refresh: string | null;
  /** Frames of a frameset among them. */
  links: FoundLink[];
}

const tags = new Set(['a', 'area', 'base', 'frame', 'img', 'link', 'meta', 'svg', 'template', 'title']);
const textIn = new Set(['a', 'title']);
const collapse = (text: string) => text.replace(/\s+/g, ' ').trim();

/**
 * What a crawl wants of a page, in one pass.
 * @param refreshHeader that came with it.
 * @param charset of the page; null where that is not known.
 */
export function readCrawledPage(
  html: string,
  url: string,
  refreshHeader?: string,
  charset: string | null = null,
): CrawledPage {
  const links = createLinkReader(url, charset);
  const refreshes = [readRefresh(refreshHeader ?? '', links.resolve)];
  let templateDepth = 0;
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
      else if (name === 'template') templateDepth++;
      else if (name === 'title')
        titleText = svgDepth === 0 && templateDepth === 0 && title === null ? '' : null;
      else if (name === 'link') {
        if (/(^|\s)canonical(\s|$)/i.test(attributes.get('rel') ?? '')) {
          const href = attributes.get('href')?.trim() ?? '';
          if (href !== '') canonical ??= links.resolve(href);
        }
      } else if (name === 'meta') {
        const isRefresh = attributes.get('http-equiv')?.trim().toLowerCase() === 'refresh';
        if (isRefresh && templateDepth === 0)
          refreshes.push(readRefresh(attributes.get('content') ?? '', links.resolve));
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
      if (name === 'template') templateDepth = Math.max(0, templateDepth - 1);
      if (name !== 'title' || titleText === null) return;
      title = collapse(titleText);
      titleText = null;
    },
  });
  return {
    title,
    canonical,
    follows,
    noindex,
    refresh: soonestRefresh(refreshes)?.url ?? null,
    links: links.links(),
  };
}
