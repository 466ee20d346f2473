import { readMetadata, type ReadMetadata } from './metadata.ts';
import { needsBrowser } from './needs-browser.ts';

export interface PageText {
  html: string;
  url: string;
  headers: Record<string, string>;
}

export interface AnalyzedPage {
  metadata: ReadMetadata;
  needsBrowser: boolean;
}

/** Everything that is read from a page's HTML, in one go. */
export function analyzePage({ html, url, headers }: PageText): AnalyzedPage {
  return { metadata: readMetadata(html, url, headers), needsBrowser: needsBrowser(html) };
}

export default analyzePage;
