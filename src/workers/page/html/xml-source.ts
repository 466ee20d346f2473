import type { LoadedPage } from '../load/load.ts';
import type { FetchedSource } from '../fetch/fetch-source.ts';
import type { Snapshot } from '../load/snapshot.ts';
import type { Warning } from '../../../shared/schemas/job.ts';
import type writeOutTags from './write-out-tags.ts';

const xmlType = /^(text|application)\/xml\b|\+xml\b/i;
const pageType = /^application\/xhtml\+xml\b/i;
const pictureType = /^image\/svg\+xml\b/i;
const pageRoot = /^\s*(<!doctype\b[^>]*>\s*)?<html[\s>]/i;
/** XML that a style sheet of XSLT is to make a page of. */
const styled = /<\?xml-stylesheet\s[^>]{0,500}type\s*=\s*["'](text|application)\/(xslt?|xslt?\+xml|xml)["']/i;
/** What a page shows without a word. */
const pictures = /<(img|svg|picture|video|audio|canvas|iframe|object|embed)\b/i;
/** In which Chromium shows XML. */
const viewerMark = 'webkit-xml-viewer-source-xml';

/** By its beginning. */
export const isStyled = (xml: string): boolean => styled.test(xml.slice(0, 4_000));

/** What no browser shows as XML, it decodes as any text, whatever the document declares: by the header, or by a guess. */
const beyondAscii = /[^\0-\x7f]/;
const namesCharset = /;\s*charset\s*=/i;

export interface XmlSource {
  text: string;
  /** By which `text` was decoded; null for that of the browser. */
  charset: string | null;
  kind: 'xml' | 'html';
  warnings: Warning[];
}

/**
 * What a browser makes no page of, though it is XML: it shows a viewer of its own, nothing where a style sheet
 * fails or makes nothing, or a page up to its first mistake.
 * @param fetchSource asks for the document once more: what its style sheet has made, or the characters that it took the
 * bytes for, is all that a browser keeps.
 * @param writeOut `writeOutTags`, in another process: the document may be large.
 * @returns the document as it came; null for everything else.
 */
export async function findXmlSource(
  loaded: LoadedPage,
  shown: Snapshot,
  fetchSource: () => Promise<FetchedSource | null>,
  writeOut: (xhtml: string) => Promise<ReturnType<typeof writeOutTags>>,
): Promise<XmlSource | null> {
  const { contentType } = loaded;
  if (contentType === null || !xmlType.test(contentType) || pictureType.test(contentType)) return null;
  const isPage =
    pageType.test(contentType) || (pageRoot.test(shown.html) && !shown.html.includes(viewerMark));
  const isPlain = xmlType.test(shown.contentType)
    ? !isPage && !pictureType.test(shown.contentType)
    : shown.contentType === 'text/plain';
  const showsNothing = shown.html.replace(/<[^<>]*>/g, '').trim() === '' && !pictures.test(shown.html);
  const isEmpty = !pageType.test(contentType) && showsNothing;
  const isBroken = isPage && xmlType.test(shown.contentType) && shown.html.includes('<parsererror');
  const text = isPlain || isEmpty || isBroken ? await loaded.readSource() : null;
  if (text === null) return null;
  const isMade = isEmpty || (isBroken && !/<html[\s>]/i.test(text.slice(0, 4_000)));
  if (isMade && !isStyled(text)) {
    const came = await fetchSource();
    if (came !== null && isStyled(came.text)) return { ...came, kind: 'xml', warnings: [plain] };
  }
  if (isBroken) return { text: await writeOut(text), charset: null, kind: 'html', warnings: [broken] };
  const isRead =
    shown.contentType !== 'text/plain' || namesCharset.test(contentType) || !beyondAscii.test(text);
  const source = isRead ? null : await fetchSource();
  return { ...(source ?? { text, charset: null }), kind: 'xml', warnings: [plain] };
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
