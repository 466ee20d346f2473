import type { Warning } from '../../shared/schemas/job.ts';
import type { BlockedBy, PickedElements } from '../../shared/schemas/scraped-page.ts';
import { findChallenge } from './challenge.ts';
import { readMetadata, type ReadMetadata } from './metadata.ts';
import { needsBrowser } from './needs-browser.ts';
import { showNoscript } from './noscript.ts';
import { noticePage } from './page-notices.ts';
import { type FoundLink, readLinks } from './page-links.ts';
import { type ElementQuery, pickElements } from './pick-elements.ts';
import { readVisibleText } from './visible-text.ts';

export interface PageText {
  html: string;
  /** Where it came from; relative addresses are resolved against it. */
  url: string;
  requestedUrl: string;
  status: number | null;
  headers: Record<string, string>;
  engine: 'http' | 'browser';
}

/** What is asked of a page beside its metadata. */
export interface PageWishes {
  text?: boolean | undefined;
  links?: boolean | undefined;
  elements?: readonly ElementQuery[] | undefined;
}

export interface AnalyzedPage {
  metadata: ReadMetadata;
  needsBrowser: boolean;
  blocked: BlockedBy;
  notices: Warning[];
  text?: string;
  links?: FoundLink[];
  elements?: PickedElements[];
}

export interface PageTask {
  page: PageText;
  wishes: PageWishes;
}

/** Everything that is read from a page's HTML, in one go. */
export default function analyzePage({ page, wishes }: PageTask): AnalyzedPage {
  const { html, url, headers, engine } = page;
  const shown = engine === 'http' ? showNoscript(html) : html;
  const metadata = readMetadata(html, url, headers);
  let text: string | undefined;
  const visibleText = () => (text ??= readVisibleText(shown));
  const answered = { ...page, finalUrl: url, title: metadata.title };
  return {
    metadata,
    needsBrowser: needsBrowser(html, headers),
    blocked: findChallenge(answered, visibleText),
    notices: noticePage(answered, visibleText),
    ...(wishes.text ? { text: visibleText() } : {}),
    ...(wishes.links ? { links: readLinks(shown, url) } : {}),
    ...(wishes.elements ? { elements: pickElements(shown, wishes.elements) } : {}),
  };
}
