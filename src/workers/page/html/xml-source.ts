import type { LoadedPage } from '../load/load.ts';
import type { Snapshot } from '../load/snapshot.ts';
import type { Warning } from '../../../shared/schemas/job.ts';

const xmlType = /^(text|application)\/xml\b|\+xml\b/i;
/** Browsers show these as pages and pictures of their own. */
const shownType = /^(application\/xhtml\+xml|image\/svg\+xml)\b/i;

export interface XmlSource {
  text: string;
  warnings: Warning[];
}

/**
 * An XML document that no style sheet has made a page of: Chromium shows its own viewer, or nothing where the style
 * sheet fails.
 * @returns the document as it came; null for everything else.
 */
export async function findXmlSource(loaded: LoadedPage, shown: Snapshot): Promise<XmlSource | null> {
  const { contentType } = loaded;
  if (contentType === null || !xmlType.test(contentType) || shownType.test(contentType)) return null;
  const isViewer = xmlType.test(shown.contentType)
    ? !shownType.test(shown.contentType)
    : shown.contentType === 'text/plain';
  const isEmpty = shown.html.replace(/<[^<>]*>/g, '').trim() === '';
  const text = isViewer || isEmpty ? await loaded.readSource() : null;
  if (text === null) return null;
  const message = 'The target is XML that no style sheet makes a page of; `html` is the document as it came.';
  return { text, warnings: [{ code: 'xml_not_styled', message }] };
}
