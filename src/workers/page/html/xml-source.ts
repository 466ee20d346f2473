import type { LoadedPage } from '../load/load.ts';
import type { Snapshot } from '../load/snapshot.ts';
import type { Warning } from '../../../shared/schemas/job.ts';
import { writeOutTags } from './write-out-tags.ts';

const xmlType = /^(text|application)\/xml\b|\+xml\b/i;
const pageType = /^application\/xhtml\+xml\b/i;
const pictureType = /^image\/svg\+xml\b/i;
const pageRoot = /^\s*(<!doctype\b[^>]*>\s*)?<html[\s>]/i;
/** In which Chromium shows XML. */
const viewerMark = 'webkit-xml-viewer-source-xml';

export interface XmlSource {
  text: string;
  kind: 'xml' | 'html';
  warnings: Warning[];
}

/**
 * What a browser makes no page of, though it is XML: it shows a viewer of its own, nothing where a style sheet
 * fails, or a page up to its first mistake.
 * @returns the document as it came; null for everything else.
 */
export async function findXmlSource(loaded: LoadedPage, shown: Snapshot): Promise<XmlSource | null> {
  const { contentType } = loaded;
  if (contentType === null || !xmlType.test(contentType) || pictureType.test(contentType)) return null;
  const isPage =
    pageType.test(contentType) || (pageRoot.test(shown.html) && !shown.html.includes(viewerMark));
  const isPlain = xmlType.test(shown.contentType)
    ? !isPage && !pictureType.test(shown.contentType)
    : shown.contentType === 'text/plain';
  const isEmpty = !pageType.test(contentType) && shown.html.replace(/<[^<>]*>/g, '').trim() === '';
  const isBroken = isPage && xmlType.test(shown.contentType) && shown.html.includes('<parsererror');
  const text = isPlain || isEmpty || isBroken ? await loaded.readSource() : null;
  if (text === null) return null;
  return isBroken
    ? { text: writeOutTags(text), kind: 'html', warnings: [broken] }
    : { text, kind: 'xml', warnings: [plain] };
}

const plain: Warning = {
  code: 'xml_not_styled',
  message: 'The target is XML that no style sheet makes a page of; `html` is the document as it came.',
};

const broken: Warning = {
  code: 'xml_not_well_formed',
  message:
    'The target is XHTML with a mistake, at which browsers stop; `html` is the document as it came, what is `<a/>` as `<a></a>`.',
};
