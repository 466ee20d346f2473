import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { EgressLease } from '../../shared/egress/types.ts';
import { decodeText, findCharset } from '../page/charset.ts';

const unzip = promisify(gunzip);
/** sitemaps.org: at most 50 MB, unzipped; and 50,000 URLs. */
const maxBytes = 52_428_800;
const maxSitemaps = 50;
const readAtOnce = 4;

export interface ReadSitemaps {
  /** Those that were there, in the order in which they were read. */
  sitemaps: string[];
  /** Pages that they name, each once. */
  urls: string[];
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decodeXml(text: string): string {
  return text
    .replace(/^\s*<!\[CDATA\[([^]*?)\]\]>\s*$/, '$1')
    .replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,4}));/gi, (whole, decimal, hex, name) => {
      const code = decimal ? Number(decimal) : hex ? Number.parseInt(hex as string, 16) : 0;
      if (code > 0 && code <= 0x10ffff) return String.fromCodePoint(code);
      return entities[String(name).toLowerCase()] ?? whole;
    })
    .trim();
}

/**
 * Reads one sitemap: XML (index or pages), or text with a URL a line. Damage costs the damaged entries only.
 * @returns null for what is no sitemap: many a site answers any URL with its page.
 */
export function parseSitemap(text: string, url: string): { indexed: string[]; pages: string[] } | null {
  const resolve = (location: string) => URL.parse(decodeXml(location), url)?.href ?? [];
  if (!/<(\w+:)?(urlset|sitemapindex)\b/.test(text)) {
    const pages = text.trimStart().startsWith('<')
      ? []
      : text.split(/\s+/).flatMap((line) => (/^https?:/.test(line) ? (URL.parse(line)?.href ?? []) : []));
    return pages.length === 0 ? null : { indexed: [], pages };
  }
  const locations = [...text.matchAll(/<(?:\w+:)?loc\s*>([^]{1,8192}?)<\/(?:\w+:)?loc\s*>/g)].flatMap(
    (match) => resolve(match[1] ?? ''),
  );
  const isIndex = /<(\w+:)?sitemapindex\b/.test(text);
  return isIndex ? { indexed: locations, pages: [] } : { indexed: [], pages: locations };
}

async function fetchSitemap(
  lease: Pick<EgressLease, 'fetch'>,
  url: string,
  options: { headers: Record<string, string>; timeoutMs: number; signal: AbortSignal },
): Promise<string | null> {
  try {
    const { status, body, headers } = await lease.fetch({
      url,
      maxRedirects: 5,
      maxBodyBytes: maxBytes,
      ...options,
    });
    if (status !== 200) return null;
    const isZipped = body[0] === 0x1f && body[1] === 0x8b;
    const bytes = isZipped ? await unzip(body, { maxOutputLength: maxBytes }) : body;
    return decodeText(bytes, findCharset(bytes, headers['content-type'] ?? '', 'xml'));
  } catch {
    options.signal.throwIfAborted();
    return null;
  }
}

/** Reads sitemaps and the indexes that name more of them, until `maxUrls` pages are known. */
export async function readSitemaps(
  lease: Pick<EgressLease, 'fetch'>,
  starts: readonly string[],
  options: { maxUrls: number; headers: Record<string, string>; timeoutMs: number; signal: AbortSignal },
): Promise<ReadSitemaps> {
  const { maxUrls, ...request } = options;
  const waiting = [...new Set(starts)];
  const asked = new Set<string>();
  const sitemaps: string[] = [];
  const urls = new Set<string>();
  while (waiting.length > 0 && asked.size < maxSitemaps && urls.size < maxUrls) {
    const wave = waiting.splice(0, Math.min(readAtOnce, maxSitemaps - asked.size));
    for (const url of wave) asked.add(url);
    const texts = await Promise.all(wave.map((url) => fetchSitemap(lease, url, request)));
    for (const [index, text] of texts.entries()) {
      const url = wave[index] ?? '';
      const parsed = text === null ? null : parseSitemap(text, url);
      if (parsed === null) continue;
      sitemaps.push(url);
      const { indexed, pages } = parsed;
      for (const next of indexed) if (!asked.has(next) && !waiting.includes(next)) waiting.push(next);
      for (const page of pages) if (urls.size < maxUrls) urls.add(page);
    }
  }
  return { sitemaps, urls: [...urls] };
}
