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
/** Characters of what a document type declares. */
const longestSubset = 65_536;
const doctype = /^<!doctype\s+(\w*)[^[>]{0,1000}\[?/i;
const comment = /<!--[^]*?-->/g;
/** Those of XML itself may be declared again, and mean the same. */
const entity =
  /<!ENTITY\s+(?!(?:amp|lt|gt|quot|apos)\s)([\w.:-]{1,64})\s+(?:"([^"]{0,2048})"|'([^']{0,2048})')/g;
/** Each begins where the one before has ended. */
const attribute = /([^\s=/"'<>]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'))?/g;
const entityReference = /&([\w.:-]{1,64});/g;
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
/** What has one of them before is a page, whatever stands in its scripts. */
const pageTags = new Set(['html', 'head', 'body']);
/** Parts of an entry of Atom in which markup may stand, links and entries among it (RFC 4287, 3.1 and 4.1.3). */
const textConstructs = new Set(['content', 'summary', 'title', 'rights']);
/** Extensions of sitemaps that name things of a page, not pages (`image:loc`), by the usual prefix or by their elements. */
const extensions = /^(?:(?:image|video|news|pagemap|mobile):|(?:[^:]*:)?(?:image|video|news)$)/;

const foreign = /\sxmlns\s*=/i;

/** Reads the tags of XML one after the other, comments and declarations left out, damaged or not. */
function* readTags(
  xml: string,
): Generator<{ name: string; isEnd: boolean; isEmpty: boolean; attributes: string; textStart: number }> {
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
    const isEmpty = xml[close - 1] === '/';
    yield { name, isEnd, isEmpty, attributes: tag.slice(name.length), textStart: at };
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

interface Prolog {
  /** The name that the document's type declares for its root, in lower case; empty where it declares none. */
  type: string;
  /** Without what the type declares in brackets. */
  document: string;
  /** What it declares there, as far as they are texts. */
  entities: ReadonlyMap<string, string>;
}

function readProlog(xml: string): Prolog {
  let at = xml.indexOf('<');
  while (at !== -1 && /^<(?:\?|!--)/.test(xml.slice(at, at + 4))) at = xml.indexOf('<', skipMarkup(xml, at));
  const [declared, type = ''] = (at === -1 ? null : doctype.exec(xml.slice(at, at + longestSubset))) ?? [];
  const entities = new Map<string, string>();
  const told = { type: type.toLowerCase(), document: xml, entities };
  if (declared?.endsWith('[') !== true) return told;
  const start = at + declared.length;
  const length = lengthOfSubset(xml.slice(start, start + longestSubset));
  if (length === null) return told;
  const subset = xml.slice(start, start + length).replace(comment, '');
  for (const [, name = '', double, single] of subset.matchAll(entity))
    if (!entities.has(name)) entities.set(name, double ?? single ?? '');
  return { ...told, document: xml.slice(0, start) + xml.slice(start + length) };
}

/** Up to its bracket, which may stand in a text or a comment too; null where none ends it. */
function lengthOfSubset(text: string): number | null {
  const marks = /<!--|["']|\]\s*>/g;
  for (let found = marks.exec(text); found !== null; found = marks.exec(text)) {
    const [mark] = found;
    if (mark.startsWith(']')) return found.index;
    const close = mark === '<!--' ? '-->' : mark;
    const end = text.indexOf(close, marks.lastIndex);
    if (end === -1) return null;
    marks.lastIndex = end + close.length;
  }
  return null;
}

/** What would be too long for a URL is cut: references are short, and what they stand for is not. */
function replaceEntities(text: string, entities: ReadonlyMap<string, string>): string {
  let left = longestText;
  return text.replace(entityReference, (reference, name: string) => {
    const value = entities.get(name) ?? reference;
    left -= value.length;
    return left < 0 ? '' : value;
  });
}

/** The text from here to the next tag, CDATA sections unpacked, comments left out; empty where it is too long for a URL. */
function textFrom(xml: string, start: number, entities: ReadonlyMap<string, string>): string {
  let text = '';
  let at = start;
  while (text.length <= longestText) {
    const open = xml.indexOf('<', at);
    const raw = xml.slice(at, Math.min(open === -1 ? xml.length : open, at + longestText + 1));
    text += decodeXML(entities.size === 0 ? raw : replaceEntities(raw, entities));
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
const isNoAddress = (attributes: string): boolean =>
  readAttributes(attributes).get('ispermalink')?.trim().toLowerCase().startsWith('false') === true;

/** Of a tag, by their names in lower case; in the value of one stands no other. */
function readAttributes(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [, name = '', double, single] of text.matchAll(attribute)) {
    const key = name.toLowerCase();
    if (!found.has(key)) found.set(key, double ?? single ?? '');
  }
  return found;
}

/** The pages that a feed names: of each entry its own. */
function feedLink(attributes: ReadonlyMap<string, string>, text: () => string): string {
  const href = attributes.get('href') ?? '';
  if (href === '') return text();
  return ownRelation.test(attributes.get('rel')?.trim() ?? '') ? decodeXML(href) : '';
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);
/** Up to the colon. */
const prefixOf = (name: string): string => name.slice(0, name.indexOf(':') + 1);

/** The name of the element that makes it one, with its prefix; null for what is no sitemap. */
function findRoot(xml: string): string | null {
  for (const { name, isEnd } of readTags(xml)) {
    if (isEnd) continue;
    if (roots.has(localName(name))) return name;
    if (pageTags.has(name)) return null;
  }
  return null;
}

/** What relative addresses in an element are resolved against (XML Base); what can be no base changes nothing. */
function baseOf(attributes: string, around: string): string {
  const told = readAttributes(attributes).get('xml:base') ?? '';
  const { href, protocol = '' } = (told === '' ? null : URL.parse(decodeXML(told), around)) ?? {};
  return href !== undefined && /^https?:$/.test(protocol) ? href : around;
}

/**
 * Of each entry its link; of one without, the identifier where that is its address.
 * @param isStrict whether only elements with the prefix of the feed's own count.
 */
function readFeed(
  xml: string,
  root: string,
  url: string,
  isStrict: boolean,
  read: (start: number) => string,
  keep: (location: string, base: string) => void,
): void {
  let inEntry = false;
  let isNamed = false;
  let guid = '';
  /** The part of an entry in which nothing is the feed's: its name, and the entries that it quotes. */
  let inText: { name: string; entries: number } | null = null;
  /** In what an entry tells of the feed that it was taken from. */
  let inSource = false;
  let [base, entryBase] = [url, url];
  /** RSS knows neither: its generators write internal addresses there, and pages quote `source` of HTML in it. */
  const isAtom = localName(root) === 'feed';
  const isRdf = localName(root) === 'rdf';
  /** Of the feed's own elements; RSS 1.0 has others than RDF. */
  let prefix = isRdf ? null : prefixOf(root);
  const ownBase = (attributes: string, around: string): string =>
    isAtom ? baseOf(attributes, around) : around;
  const endEntry = (): void => {
    if (inEntry && !isNamed && /^https?:/i.test(guid)) keep(guid, entryBase);
    isNamed = false;
    guid = '';
    inSource = false;
  };
  for (const { name, isEnd, isEmpty, attributes, textStart } of readTags(xml)) {
    const local = localName(name);
    if (inText !== null) {
      const isEntry = name === `${prefix}entry`;
      // Where the end of the part is missing, that of its entry ends it.
      const isOver = isEnd && (name === inText.name || (isEntry && inText.entries === 0));
      if (isEntry && !isEmpty) inText.entries += isEnd ? -1 : 1;
      if (isOver) inText = null;
      if (!isOver || !isEntry) continue;
    }
    if (isRdf && /^(?:channel|item)$/.test(local)) prefix ??= prefixOf(name);
    if (name === root && !isEnd) base = ownBase(attributes, base);
    if (isStrict && name !== `${prefix}${local}`) continue;
    const isWhole = isEnd || isEmpty;
    if (local === 'item' || local === 'entry') {
      endEntry();
      inEntry = !isEnd;
      entryBase = ownBase(attributes, base);
    } else if (!inEntry) continue;
    else if (isAtom && local === 'source') inSource = !isWhole;
    else if (isAtom && textConstructs.has(local)) inText = isWhole ? null : { name, entries: 0 };
    else if (isEnd || inSource) continue;
    else if (local === 'link') {
      const link = feedLink(readAttributes(attributes), () => read(textStart));
      isNamed ||= link !== '';
      keep(link, ownBase(attributes, entryBase));
    } else if (local === 'guid' && !isNoAddress(attributes)) guid = read(textStart);
  }
  endEntry();
}

/** @param isStrict whether only elements with the prefix of its root count. */
function readXml(
  xml: string,
  root: string,
  isStrict: boolean,
  read: (start: number) => string,
  resolve: (location: string) => void,
): void {
  const prefix = prefixOf(root);
  let inExtension = '';
  for (const { name, isEnd, isEmpty, attributes, textStart } of readTags(xml)) {
    const local = isStrict && prefixOf(name) !== prefix ? '' : localName(name);
    if (local === 'url' || local === 'sitemap') inExtension = '';
    else if (isEnd) inExtension = inExtension === name ? '' : inExtension;
    else if (local === 'loc') {
      if (inExtension === '') resolve(read(textStart));
    } else if (extensions.test(name) || (name !== root && foreign.test(attributes)))
      inExtension ||= isEmpty ? '' : name;
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
  const { type, document, entities } = readProlog(text);
  const root = type === 'html' ? null : findRoot(document);
  if (root === null) {
    const lines = text.trimStart().startsWith('<') ? [] : text.split(/[\r\n]+/);
    // Some write the day of a page behind its address.
    for (const line of lines) keep(/^\s*(https?:\S+)/i.exec(line)?.[1] ?? '');
    return found.size === 0 ? null : { indexed: [], pages: [...found], isCut };
  }
  const resolve = (location: string) => keep(location, url);
  const read = (start: number) => textFrom(document, start, entities);
  const kind = localName(root);
  const isFeed = kind !== 'urlset' && kind !== 'sitemapindex';
  const readAll = (isStrict: boolean): void => {
    if (isFeed) readFeed(document, root, url, isStrict, read, keep);
    else readXml(document, root, isStrict, read, resolve);
  };
  readAll(true);
  // Names of namespaces are not followed: a file may have two for one.
  if (found.size === 0) readAll(false);
  const told =
    kind === 'sitemapindex' ? { indexed: [...found], pages: [] } : { indexed: [], pages: [...found] };
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
