import type { Warning } from '../../shared/schemas/job.ts';
import type { BlockedBy, PageMetadata, PickedElements } from '../../shared/schemas/scraped-page.ts';
import { knownAddress, type Seen, seePage } from '../link-index/seen-links.ts';
import { findChallenge } from './fetch/challenge.ts';
import type { Head } from './html/head.ts';
import { createMetadataReader } from './html/metadata.ts';
import { type Judgement, judgePage } from './engine/needs-browser.ts';
import { showNoscript } from './html/noscript.ts';
import { noticePage } from './html/page-notices.ts';
import { createLinkReader, type FoundLink, readLinks } from './html/page-links.ts';
import { type ElementQuery, pickElements } from './html/pick-elements.ts';
import { scanHtml } from './html/scan-html.ts';
import { createTextReader, readVisibleText } from './html/visible-text.ts';

export interface PageText {
  html: string;
  /** Where it came from; relative addresses are resolved against it. */
  url: string;
  requestedUrl: string;
  /** Null where it is not known. */
  charset: string | null;
  status: number | null;
  headers: Record<string, string>;
  engine: 'http' | 'browser';
}

/** What is asked of a page beside its metadata. */
export interface PageWishes {
  text?: boolean | undefined;
  links?: boolean | undefined;
  elements?: readonly ElementQuery[] | undefined;
  /** What the link index is to know of the page. */
  seen?: boolean | undefined;
  /** Whether it needs a browser, which takes as long as all the rest. */
  judgement?: boolean | undefined;
}

export interface AnalyzedPage {
  head: Head;
  metadata: PageMetadata;
  blocked: BlockedBy;
  notices: Warning[];
  text?: string;
  links?: FoundLink[];
  elements?: PickedElements[];
  /** Null where it is no page that the index could know. */
  seen?: Seen | null;
  judgement?: Judgement;
}

export interface PageTask {
  page: PageText;
  wishes: PageWishes;
}

/** Everything that is read from a page's HTML, in one go. */
export default function analyzePage({ page, wishes }: PageTask): AnalyzedPage {
  const { html, url, headers, engine, charset } = page;
  const shown = showNoscript(html, engine === 'browser');
  const read = readAtOnce(page, shown === html ? wishes : {});
  const { head, metadata } = read;
  let { text } = read;
  const visibleText = () => (text ??= readVisibleText(shown));
  const answered = { ...page, finalUrl: url, title: head.title };
  const links = wishes.links || wishes.seen ? (read.links ?? readLinks(shown, head.base, charset)) : [];
  return {
    head,
    metadata,
    blocked: findChallenge(answered, visibleText),
    notices: noticePage(answered, visibleText),
    ...(wishes.text ? { text: visibleText() } : {}),
    ...(wishes.links ? { links } : {}),
    ...(wishes.elements ? { elements: pickElements(shown, wishes.elements) } : {}),
    ...(wishes.seen ? { seen: see(page, head, links) } : {}),
    ...(wishes.judgement ? { judgement: judgePage({ html, headers, url }) } : {}),
  };
}

/** To tell its tags takes longer than what is read from them: all readers hear them in one pass. */
function readAtOnce(page: PageText, wishes: PageWishes) {
  const metadata = createMetadataReader(page);
  const text = wishes.text ? createTextReader(page.html) : null;
  /** By which the first link was resolved. */
  let base: string | null = null;
  const resolve = (href: string) => {
    base ??= metadata.base();
    return metadata.resolve(href);
  };
  const links = wishes.links || wishes.seen ? createLinkReader(resolve) : null;
  const readers = [metadata, text, links].filter((reader) => reader !== null);
  scanHtml(page.html, {
    onStartTag(name, attributes) {
      for (const reader of readers) reader.onStartTag(name, attributes);
    },
    onText(chunk) {
      for (const reader of readers) reader.onText(chunk);
    },
    onEndTag(name) {
      for (const reader of readers) reader.onEndTag(name);
    },
  });
  const told = metadata.read();
  // A `<base>` that stands behind a link is that link's, too.
  const isRead = base === null || base === told.head.base;
  return { ...told, text: text?.text(), links: isRead ? links?.links() : undefined };
}

function see(
  { url: readAt, status }: PageText,
  { title, noindex, canonical, follows }: Head,
  links: readonly FoundLink[],
): Seen | null {
  // A page that wants to be in no index is in none.
  if (status === null || status >= 400 || noindex) return null;
  const url = knownAddress(readAt, canonical);
  return url === null ? null : seePage({ url, title, status, follows, links });
}
