import { Parser } from 'htmlparser2';
import type { PageMetadata } from '../../shared/schemas/page-options.ts';

export interface ReadMetadata extends PageMetadata {
  /** Of the first `<title>` outside of an SVG; null when there is none. */
  title: string | null;
}

const jsonLdBlocks = 100;

function resolve(href: string | undefined, base: string): string | null {
  return href && URL.canParse(href.trim(), base) ? new URL(href.trim(), base).href : null;
}

const collapse = (text: string) => text.replace(/\s+/g, ' ').trim();

/** JSON-LD in the wild is wrapped in comments or CDATA now and then. */
function parseJsonLd(text: string): unknown[] {
  const bare = text
    .replace(/^\s*(<!--|\/\*\s*<!\[CDATA\[\s*\*\/|<!\[CDATA\[)/, '')
    .replace(/(-->|\/\*\s*\]\]>\s*\*\/|\]\]>)\s*$/, '');
  try {
    return [JSON.parse(bare)];
  } catch {
    return [];
  }
}

/**
 * Reads what a page says about itself, in one pass without a tree, so that no nesting is too deep.
 * @param url where the page came from; relative addresses are resolved against it, or its `<base>`.
 */
export function readMetadata(html: string, url: string, headers: Record<string, string>): ReadMetadata {
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
  let base = url;
  let baseSeen = false;
  let svgDepth = 0;
  let text: string[] | null = null;
  let reading: 'title' | 'jsonLd' | null = null;

  function readMeta(attributes: Record<string, string>): void {
    const content = attributes['content'];
    const name = (attributes['property'] ?? attributes['name'])?.trim().toLowerCase();
    if (content === undefined || name === undefined) return;
    if (name.startsWith('og:')) found.openGraph[name.slice(3)] ??= content;
    else if (name.startsWith('twitter:')) found.twitter[name.slice(8)] ??= content;
    else if (name === 'description') found.description ??= collapse(content);
    else if (name === 'robots') found.robots ??= collapse(content);
  }

  function readLink(attributes: Record<string, string>): void {
    const relations = (attributes['rel'] ?? '').toLowerCase().split(/\s+/);
    if (relations.includes('canonical')) found.canonical ??= resolve(attributes['href'], base);
    if (relations.includes('icon') || relations.includes('apple-touch-icon')) {
      found.favicon ??= resolve(attributes['href'], base);
    }
  }

  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === 'svg') svgDepth++;
      else if (name === 'html') found.language ??= attributes['lang']?.trim() || null;
      else if (name === 'meta') readMeta(attributes);
      else if (name === 'link') readLink(attributes);
      else if (name === 'base' && !baseSeen && attributes['href'] !== undefined) {
        baseSeen = true;
        base = resolve(attributes['href'], url) ?? url;
      } else if (name === 'title' && svgDepth === 0 && found.title === null) {
        [reading, text] = ['title', []];
      } else if (name === 'script' && attributes['type']?.trim().toLowerCase() === 'application/ld+json') {
        [reading, text] = ['jsonLd', []];
      }
    },
    ontext(chunk) {
      text?.push(chunk);
    },
    onclosetag(name) {
      if (name === 'svg') svgDepth = Math.max(0, svgDepth - 1);
      if (text === null || (name !== 'title' && name !== 'script')) return;
      if (reading === 'title') found.title = collapse(text.join(''));
      else if (found.jsonLd.length < jsonLdBlocks) found.jsonLd.push(...parseJsonLd(text.join('')));
      [reading, text] = [null, null];
    },
  });
  parser.end(html);
  found.language ??= headers['content-language']?.split(',')[0]?.trim() ?? null;
  return found;
}
