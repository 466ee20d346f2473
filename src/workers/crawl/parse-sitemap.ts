import { constants, gunzipSync, inflateRawSync } from 'node:zlib';
import { decodeText, findCharset } from '../page/html/charset.ts';
import { readFeed } from './parse-feed.ts';
import { localName, longestUrl, prefixOf, readProlog, readTags, textFrom } from './xml-tags.ts';

/** sitemaps.org: at most 50 MB, unzipped. */
export const maxSitemapBytes = 52_428_800;
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
/** Extensions of sitemaps that name things of a page, not pages (`image:loc`), by the usual prefix or by their elements. */
const extensions = /^(?:(?:image|video|news|pagemap|mobile):|(?:[^:]*:)?(?:image|video|news)$)/;
/** Of an element that is no sitemap's, and of all in it. */
const foreign = /\sxmlns\s*=/i;

/** The name of the element that makes it one, with its prefix; null for what is no sitemap. */
function findRoot(xml: string): string | null {
  for (const { name, isEnd } of readTags(xml)) {
    if (isEnd) continue;
    if (roots.has(localName(name))) return name;
    if (pageTags.has(name)) return null;
  }
  return null;
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
