import type { PageMetadata } from '../../../shared/schemas/scraped-page.ts';
import { encodeQuery } from './query-encoding.ts';
import { scanHtml } from './scan-html.ts';
import { SilentElements } from './silent-elements.ts';
import { boundTitle } from './title.ts';

export interface ReadMetadata extends PageMetadata {
  /** Of the first `<title>` outside of SVG, MathML and templates; null when there is none. */
  title: string | null;
}

const jsonLdBlocks = 100;
const mostRobots = 20;
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

/**
 * Reads what a page says about itself, in one pass without a tree, so that no nesting is too deep.
 * @param url where the page came from; relative addresses are resolved against it, or its `<base>`.
 * @param charset of the page; null where that is not known.
 */
export function readMetadata(
  html: string,
  url: string,
  headers: Record<string, string>,
  charset: string | null = null,
): ReadMetadata {
  const found: ReadMetadata = {
    title: null,
    description: null,
    canonical: null,
    language: null,
    robots: null,
    favicon: null,
    openGraph: {},
    twitter: {},
    jsonLd: [],
  };
  const openGraph = new Map<string, string>();
  const twitter = new Map<string, string>();
  const robots = new Set<string>();
  let base = url;
  let baseSeen = false;
  const hidden = new SilentElements(['svg', 'math', 'template']);
  let text: string[] | null = null;
  let reading: 'title' | 'jsonLd' | null = null;

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
    else if (name === 'description') found.description ??= collapse(content);
    else if (name === 'robots' && robots.size < mostRobots) robots.add(collapse(content));
  }

  function readLink(attributes: ReadonlyMap<string, string>): void {
    const relations = (attributes.get('rel') ?? '').toLowerCase().split(/\s+/);
    if (relations.includes('canonical')) found.canonical ??= resolve(attributes.get('href'), base, charset);
    if (relations.includes('icon') || relations.includes('apple-touch-icon')) {
      found.favicon ??= resolve(attributes.get('href'), base, charset);
    }
  }

  scanHtml(html, {
    onStartTag(name, attributes) {
      hidden.start(name, attributes);
      if (name === 'html') found.language ??= bound(attributes.get('lang')?.trim() ?? '') || null;
      else if (name === 'meta') readMeta(attributes);
      else if (name === 'link') readLink(attributes);
      else if (name === 'base' && !baseSeen && attributes.has('href')) {
        baseSeen = true;
        base = resolve(attributes.get('href'), url, charset) ?? url;
      } else if (name === 'title' && hidden.inside === null && found.title === null) {
        [reading, text] = ['title', []];
      } else if (
        name === 'script' &&
        /^\s*application\/ld\+json\s*(;|$)/i.test(attributes.get('type') ?? '')
      ) {
        [reading, text] = ['jsonLd', []];
      }
    },
    onText(chunk) {
      text?.push(chunk);
    },
    onEndTag(name) {
      hidden.end(name);
      if (text === null || (name !== 'title' && name !== 'script')) return;
      if (reading === 'title') found.title = boundTitle(collapse(text.join('')));
      else if (found.jsonLd.length < jsonLdBlocks) found.jsonLd.push(...parseJsonLd(text.join('')));
      [reading, text] = [null, null];
    },
  });
  return {
    ...found,
    robots: robots.size === 0 ? null : [...robots].join(', '),
    language: found.language ?? headers['content-language']?.split(',')[0]?.trim() ?? null,
    openGraph: Object.fromEntries(openGraph),
    twitter: Object.fromEntries(twitter),
  };
}
