import type { PageMetadata } from '../../../shared/schemas/scraped-page.ts';
import { createHeadReader, type Head, type HeadReader, type HeadSource } from './head.ts';
import { encodeQuery } from './query-encoding.ts';
import { type HtmlHandlers, scanHtml } from './scan-html.ts';

const jsonLdBlocks = 100;
/** Characters of what a page says of itself; it may be megabytes long. */
const longestText = 10_000;

const bound = (text: string) => text.slice(0, longestText).toWellFormed();

function resolve(href: string | undefined, base: string, charset: string | null): string | null {
  return href ? (URL.parse(encodeQuery(href.trim(), charset), base)?.href ?? null) : null;
}

const collapse = (text: string) => text.replace(/\s+/g, ' ').trim();

/** Deeper, and it could not be written out again. */
const deepestJson = 200;

/** Any client can read what comes out: no half characters, no NUL. @throws RangeError where it is nested too deeply. */
function readable(value: unknown, depth = 0): unknown {
  if (depth > deepestJson) throw new RangeError('nested too deeply');
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '\ufffd');
  if (Array.isArray(value)) return value.map((item) => readable(item, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, part]) => [readable(name), readable(part, depth + 1)]);
  return Object.fromEntries(entries) as unknown;
}

/** JSON-LD in the wild is wrapped in comments or CDATA now and then. */
function parseJsonLd(text: string): unknown[] {
  const bare = text
    .replace(/^\s*(<!--|\/\*\s*<!\[CDATA\[\s*\*\/|<!\[CDATA\[)/, '')
    .replace(/(-->|\/\*\s*\]\]>\s*\*\/|\]\]>)\s*$/, '');
  try {
    return [readable(JSON.parse(bare))];
  } catch {
    return [];
  }
}

export interface MetadataReader extends HtmlHandlers, Pick<HeadReader, 'base' | 'resolve'> {
  read(): { head: Head; metadata: PageMetadata };
}

/** Reads what a page says about itself as its tags come by, without a tree, so that no nesting is too deep. */
export function createMetadataReader(source: HeadSource): MetadataReader {
  const reader = createHeadReader(source);
  const jsonLd: unknown[] = [];
  let description: string | null = null;
  let language: string | null = null;
  let favicon: string | null = null;
  const openGraph = new Map<string, string>();
  const twitter = new Map<string, string>();
  let jsonText: string[] | null = null;

  function readMeta(attributes: ReadonlyMap<string, string>): void {
    const written = attributes.get('content');
    if (written === undefined) return;
    const content = bound(written);
    // One tag may serve both: `<meta name="description" property="og:description">`.
    for (const attribute of ['property', 'name']) {
      const name = attributes.get(attribute)?.trim().toLowerCase();
      if (name !== undefined) keepMeta(name, content);
    }
  }

  function keepMeta(name: string, content: string): void {
    if (name.startsWith('og:')) openGraph.set(name.slice(3), openGraph.get(name.slice(3)) ?? content);
    else if (name.startsWith('twitter:')) twitter.set(name.slice(8), twitter.get(name.slice(8)) ?? content);
    else if (name === 'description') description ??= collapse(content);
  }

  function readIcon(attributes: ReadonlyMap<string, string>): void {
    const relations = (attributes.get('rel') ?? '').toLowerCase().split(/\s+/);
    if (relations.includes('icon') || relations.includes('apple-touch-icon'))
      favicon ??= resolve(attributes.get('href'), reader.base(), source.charset);
  }

  return {
    base: reader.base,
    resolve: reader.resolve,
    onStartTag(name, attributes) {
      reader.onStartTag(name, attributes);
      if (reader.isUnseen()) return;
      if (name === 'html') language ??= bound(attributes.get('lang')?.trim() ?? '') || null;
      else if (name === 'meta') readMeta(attributes);
      else if (name === 'link') readIcon(attributes);
      else if (name === 'script' && /^\s*application\/ld\+json\s*(;|$)/i.test(attributes.get('type') ?? '')) {
        jsonText = [];
      }
    },
    onText(chunk) {
      reader.onText(chunk);
      jsonText?.push(chunk);
    },
    onEndTag(name) {
      reader.onEndTag(name);
      if (jsonText === null || name !== 'script') return;
      if (jsonLd.length < jsonLdBlocks) jsonLd.push(...parseJsonLd(jsonText.join('')));
      jsonText = null;
    },
    read() {
      const head = reader.head();
      const { canonical, robots } = head;
      const metadata = {
        description,
        canonical,
        language: language ?? source.headers['content-language']?.split(',')[0]?.trim() ?? null,
        robots,
        favicon,
        openGraph: Object.fromEntries(openGraph),
        twitter: Object.fromEntries(twitter),
        jsonLd,
      };
      return { head, metadata };
    },
  };
}

export function readMetadata(html: string, source: HeadSource): { head: Head; metadata: PageMetadata } {
  const reader = createMetadataReader(source);
  scanHtml(html, reader);
  return reader.read();
}
