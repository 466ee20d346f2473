import { constants, gunzipSync, inflateRawSync } from 'node:zlib';
import { decodeXML } from 'entities';
import { decodeText, findCharset } from '../page/html/charset.ts';

/** sitemaps.org: at most 50 MB, unzipped. */
export const maxSitemapBytes = 52_428_800;
/** sitemaps.org: shorter than 2,048. */
const longestUrl = 2_048;
/** What a URL may stand in, with white space around it. */
const longestText = 4 * longestUrl;
const cdata = '<![CDATA[';
/** Of all entries that are told: they cross to the worker's event loop in one piece. */
const maxCharacters = 8_000_000;

export interface SitemapTask {
  body: Uint8Array;
  contentType: string;
  url: string;
  /** Entries that are told. */
  maxEntries: number;
}

export interface Sitemap {
  /** Further sitemaps that an index names. */
  indexed: string[];
  pages: string[];
  /** It names more than is told. */
  isCut: boolean;
}

const roots = new Set(['urlset', 'sitemapindex', 'rss', 'rdf', 'feed']);
/** Extensions of sitemaps that name things of a page, not pages (`image:loc`), by the usual prefix or by their elements. */
const extensions = /^(?:(?:image|video|news|xhtml|pagemap|mobile):|(?:[^:]*:)?(?:image|video|news)$)/;

/** Reads the tags of XML one after the other, comments and declarations left out, damaged or not. */
function* readTags(
  xml: string,
): Generator<{ name: string; isEnd: boolean; attributes: string; textStart: number }> {
  for (let at = xml.indexOf('<'); at !== -1; at = xml.indexOf('<', at)) {
    const skipped = skipMarkup(xml, at);
    if (skipped > at) {
      at = skipped;
      continue;
    }
    const close = endOfTag(xml, at);
    if (close === -1) return;
    const isEnd = xml[at + 1] === '/';
    const tag = xml.slice(at + (isEnd ? 2 : 1), Math.min(close, at + longestUrl));
    const name = /^[^\s/>]*/.exec(tag)?.[0].toLowerCase() ?? '';
    at = close + 1;
    yield { name, isEnd, attributes: tag.slice(name.length), textStart: at };
  }
}

/** Its `>`, which may stand in an attribute too; `<` may not, so that an odd quotation mark costs its own tag only. */
function endOfTag(xml: string, open: number): number {
  const marks = /[<>"']/g;
  marks.lastIndex = open + 1;
  let quote = '';
  for (let found = marks.exec(xml); found !== null; found = marks.exec(xml)) {
    const [mark] = found;
    if (mark === '<') break;
    if (quote !== '') quote = mark === quote ? '' : quote;
    else if (mark === '>') return found.index;
    else quote = mark;
  }
  return xml.indexOf('>', open);
}

/** Where a comment, a CDATA section or an instruction that begins here ends; `at` where none begins. */
function skipMarkup(xml: string, at: number): number {
  for (const [open, close] of [
    ['<!--', '-->'],
    [cdata, ']]>'],
    ['<?', '?>'],
    ['<!', '>'],
  ] as const) {
    if (!xml.startsWith(open, at)) continue;
    const end = xml.indexOf(close, at + open.length);
    return end === -1 ? xml.length : end + close.length;
  }
  return at;
}

/** The text from here to the next tag, CDATA sections unpacked, comments left out; empty where it is too long for a URL. */
function textFrom(xml: string, start: number): string {
  let text = '';
  let at = start;
  while (text.length <= longestText) {
    const open = xml.indexOf('<', at);
    text += decodeXML(xml.slice(at, Math.min(open === -1 ? xml.length : open, at + longestText + 1)));
    // The file is cut off, and an address with it.
    if (open === -1) return '';
    at = skipMarkup(xml, open);
    if (at === open) return text.length > longestText ? '' : text.trim();
    if (!xml.startsWith(cdata, open)) continue;
    const end = xml.startsWith(']]>', at - 3) ? at - 3 : open;
    text += xml.slice(open + cdata.length, Math.min(end, open + cdata.length + longestText + 1));
  }
  return '';
}

/** RFC 4287, 4.2.7.2: by its name, by none, or as an address. */
const ownRelation = /^(https?:\/\/www\.iana\.org\/assignments\/relation\/)?(alternate)?$/i;
/** RSS 2.0: else it is the address of the page. */
const isNoAddress = /\sisPermaLink\s*=\s*["']\s*false/i;

/** The pages that a feed names: of each entry its own. */
function feedLink(attributes: string, text: () => string): string {
  const attribute = (name: string) =>
    new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, 'i')
      .exec(attributes)
      ?.slice(1)
      .find((value) => value) ?? '';
  const href = attribute('href');
  if (href === '') return text();
  return ownRelation.test(attribute('rel').trim()) ? decodeXML(href) : '';
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

function findRoot(xml: string): string | null {
  for (const { name, isEnd } of readTags(xml))
    if (!isEnd && roots.has(localName(name))) return localName(name);
  return null;
}

/** What relative addresses in an element are resolved against (XML Base); what can be no base changes nothing. */
function baseOf(attributes: string, around: string): string {
  const [, , quoted = ''] = /\sxml:base\s*=\s*(["'])(.*?)\1/is.exec(attributes) ?? [];
  const { href, protocol = '' } = (quoted === '' ? null : URL.parse(decodeXML(quoted), around)) ?? {};
  return href !== undefined && /^https?:$/.test(protocol) ? href : around;
}

/** Of each entry its link; of one without, the identifier where that is its address. */
function readFeed(
  xml: string,
  root: string,
  url: string,
  keep: (location: string, base: string) => void,
): void {
  let inEntry = false;
  let isNamed = false;
  let guid = '';
  /** In what an entry tells of the feed that it was taken from. */
  let inSource = false;
  let [base, entryBase] = [url, url];
  /** RSS knows neither: its generators write internal addresses there, and pages quote `source` of HTML in it. */
  const isAtom = root === 'feed';
  const ownBase = (attributes: string, around: string): string =>
    isAtom ? baseOf(attributes, around) : around;
  const endEntry = (): void => {
    if (inEntry && !isNamed && /^https?:/i.test(guid)) keep(guid, entryBase);
    isNamed = false;
    guid = '';
    inSource = false;
  };
  for (const { name, isEnd, attributes, textStart } of readTags(xml)) {
    const local = localName(name);
    if (local === 'item' || local === 'entry') {
      endEntry();
      inEntry = !isEnd;
      entryBase = ownBase(attributes, base);
    } else if (!inEntry) {
      if (!isEnd && local === root) base = ownBase(attributes, base);
    } else if (isAtom && local === 'source') inSource = !isEnd && !attributes.endsWith('/');
    else if (isEnd || inSource) continue;
    else if (local === 'link' && (name === 'link' || isAtom)) {
      const link = feedLink(attributes, () => textFrom(xml, textStart));
      isNamed ||= link !== '';
      keep(link, ownBase(attributes, entryBase));
    } else if (name === 'guid' && !isNoAddress.test(attributes)) guid = textFrom(xml, textStart);
  }
  endEntry();
}

function readXml(xml: string, resolve: (location: string) => void): void {
  let inExtension = '';
  for (const { name, isEnd, attributes, textStart } of readTags(xml)) {
    const local = localName(name);
    if (extensions.test(name)) {
      if (isEnd) inExtension = inExtension === name ? '' : inExtension;
      else if (!attributes.endsWith('/')) inExtension ||= name;
    } else if (local === 'url' || local === 'sitemap') inExtension = '';
    else if (local === 'loc' && !isEnd && inExtension === '') resolve(textFrom(xml, textStart));
  }
}

/**
 * Reads one sitemap: XML (index or pages), an RSS or Atom feed, or text whose lines begin with a URL. Damage costs the
 * damaged entries only. Takes time in proportion to the text.
 * @returns null for what is no sitemap: many a site answers any URL with its page.
 */
export function parseSitemap(text: string, url: string, maxEntries = Infinity): Sitemap | null {
  const found = new Set<string>();
  let characters = 0;
  let isCut = false;
  const keep = (location: string, base?: string) => {
    if (location === '' || location.length > longestUrl || isCut) return;
    const { href } = URL.parse(location, base) ?? {};
    if (href === undefined || found.has(href)) return;
    characters += href.length;
    isCut = found.size >= maxEntries || characters > maxCharacters;
    if (!isCut) found.add(href);
  };
  const root = findRoot(text);
  if (root === null) {
    const lines = text.trimStart().startsWith('<') ? [] : text.split(/[\r\n]+/);
    // Some write the day of a page behind its address.
    for (const line of lines) keep(/^\s*(https?:\S+)/i.exec(line)?.[1] ?? '');
    return found.size === 0 ? null : { indexed: [], pages: [...found], isCut };
  }
  const resolve = (location: string) => keep(location, url);
  if (root === 'urlset' || root === 'sitemapindex') readXml(text, resolve);
  else readFeed(text, root, url, keep);
  const told =
    root === 'sitemapindex' ? { indexed: [...found], pages: [] } : { indexed: [], pages: [...found] };
  return { ...told, isCut };
}

/**
 * As far as it goes: of one that is cut off what there is, of one with other bytes behind it its first member.
 * @throws RangeError where that is more than {@link maxSitemapBytes}.
 */
function unzip(zipped: Buffer): Buffer {
  const options = { maxOutputLength: maxSitemapBytes, finishFlush: constants.Z_SYNC_FLUSH };
  try {
    return gunzipSync(zipped, options);
  } catch (error) {
    if (error instanceof RangeError) throw error;
    return inflateRawSync(zipped.subarray(gzipHeaderLength(zipped)), options);
  }
}

/** RFC 1952, 2.3. */
function gzipHeaderLength(zipped: Buffer): number {
  const flags = zipped[3] ?? 0;
  let length = 10;
  if ((flags & 4) !== 0) length += 2 + (zipped[length] ?? 0) + 256 * (zipped[length + 1] ?? 0);
  for (const text of [8, 16]) if ((flags & text) !== 0) length = zipped.indexOf(0, length) + 1;
  return (flags & 2) === 0 ? length : length + 2;
}

/** The same from bytes, zipped or not. @throws Error where they cannot be unzipped. */
export default function readSitemap({ body, contentType, url, maxEntries }: SitemapTask): Sitemap | null {
  const sent = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const isZipped = sent[0] === 0x1f && sent[1] === 0x8b;
  const bytes = isZipped ? unzip(sent) : sent;
  return parseSitemap(decodeText(bytes, findCharset(bytes, contentType, 'xml')), url, maxEntries);
}
