import { createHeadReader, type Head, type HeadSource, headTags } from './head.ts';
import { showNoscript } from './noscript.ts';
import { createLinkReader, type FoundLink, readLinks } from './page-links.ts';
import { scanTags } from './scan-tags.ts';

export interface SkimTask extends HeadSource {
  html: string;
}

export interface SkimmedPage extends Head {
  /** Frames of a frameset among them. */
  links: FoundLink[];
}

const ofHead = new Set(headTags);
const tags = new Set([...headTags, 'a', 'area', 'frame', 'img']);
const textIn = new Set(['a', 'title']);

/**
 * What a crawl wants of a page, in one pass that takes a tenth of the time of reading it. The links of one whose content
 * stands in a `noscript` are read as those of other readings are.
 */
export default function skimPage({ html, ...source }: SkimTask): SkimmedPage {
  const reader = createHeadReader(source);
  const links = createLinkReader(reader.resolve);
  scanTags(html, {
    tags,
    textIn,
    onStartTag(name, attributes) {
      (ofHead.has(name) ? reader : links).onStartTag(name, attributes);
    },
    onText(text) {
      reader.onText(text);
      links.onText(text);
    },
    onEndTag(name) {
      (ofHead.has(name) ? reader : links).onEndTag(name);
    },
  });
  const head = reader.head();
  const shown = showNoscript(html);
  return { ...head, links: shown === html ? links.links() : readLinks(shown, head.base, source.charset) };
}
