import type { Warning } from '../../shared/schemas/job.ts';
import type { BlockedBy, PickedElements } from '../../shared/schemas/scraped-page.ts';
import { knownAddress, type Seen, seePage } from '../crawl/seen-links.ts';
import { findChallenge } from './fetch/challenge.ts';
import { readMetadata, type ReadMetadata } from './html/metadata.ts';
import { judgePage } from './engine/needs-browser.ts';
import { showNoscript } from './html/noscript.ts';
import { noticePage } from './html/page-notices.ts';
import { type FoundLink, readLinks } from './html/page-links.ts';
import { type ElementQuery, pickElements } from './html/pick-elements.ts';
import { robotsSay } from './html/robots-directives.ts';
import { readVisibleText } from './html/visible-text.ts';

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
}

export interface AnalyzedPage {
  metadata: ReadMetadata;
  needsBrowser: boolean;
  /** Addresses of scripts of the page's own that would tell more of whether it does. */
  ownScripts: string[];
  blocked: BlockedBy;
  notices: Warning[];
  text?: string;
  links?: FoundLink[];
  elements?: PickedElements[];
  /** Null where it is no page that the index could know. */
  seen?: Seen | null;
}

export interface PageTask {
  page: PageText;
  wishes: PageWishes;
}

/** Everything that is read from a page's HTML, in one go. */
export default function analyzePage({ page, wishes }: PageTask): AnalyzedPage {
  const { html, url, headers, engine, charset } = page;
  const shown = engine === 'http' ? showNoscript(html) : html;
  const metadata = readMetadata(html, url, headers, charset);
  let text: string | undefined;
  const visibleText = () => (text ??= readVisibleText(shown));
  const answered = { ...page, finalUrl: url, title: metadata.title };
  const links = wishes.links || wishes.seen ? readLinks(shown, url, charset) : [];
  // What a browser shows needs none.
  const judged = engine === 'http' ? judgePage({ html, headers, url }) : null;
  return {
    metadata,
    needsBrowser: judged !== null && judged.need !== null,
    ownScripts: judged?.scripts ?? [],
    blocked: findChallenge(answered, visibleText),
    notices: noticePage(answered, visibleText),
    ...(wishes.text ? { text: visibleText() } : {}),
    ...(wishes.links ? { links } : {}),
    ...(wishes.elements ? { elements: pickElements(shown, wishes.elements) } : {}),
    ...(wishes.seen ? { seen: see(page, metadata, links) } : {}),
  };
}

function see(
  page: PageText,
  { title, robots, canonical }: ReadMetadata,
  links: readonly FoundLink[],
): Seen | null {
  const { status } = page;
  // A page that wants to be in no index is in none.
  if (status === null || status >= 400 || robotsSay(robots, 'noindex')) return null;
  const url = knownAddress(page.url, canonical);
  if (url === null) return null;
  const follows = !robotsSay(robots, 'nofollow') && !robotsSay(page.headers['x-robots-tag'], 'nofollow');
  return seePage({ url, title, status, follows, links });
}
