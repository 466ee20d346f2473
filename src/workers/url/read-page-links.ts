import { findBodyKind } from '../page/body-kind.ts';
import { decodeText, findCharset } from '../page/charset.ts';
import { mediaTypeOf } from '../page/fetch-page.ts';
import { resolveLink } from '../page/page-links.ts';
import { scanHtml } from '../page/scan-html.ts';

/** A refresh after longer than this is a page that reloads itself, not a redirect. */
const longestRefreshSeconds = 10;

/** The URL of a refresh (`5; url=/there`), header or meta alike. */
function parseRefresh(content: string, base: string): string | null {
  const match = /^\s*(\d{1,9})?(?:\.[\d.]*)?\s*[;,\s]\s*(?:url\s*=\s*)?(.*)$/is.exec(content);
  if (match === null || Number(match[1] ?? 0) > longestRefreshSeconds) return null;
  const target = (match[2] ?? '').trim().replace(/^(["'])(.*?)\1.*$/s, '$2');
  const url = target === '' ? null : resolveLink(target, base);
  return url === null || url === resolveLink(base, base) ? null : url;
}

export interface PageLinks {
  refresh: string | null;
  canonical: string | null;
}

export interface Answer {
  body: Uint8Array;
  headers: Record<string, string>;
  url: string;
}

/** The same of an answer, whatever it is. */
export default function readAnswerLinks({ body, headers, url }: Answer): PageLinks {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const isHtml = findBodyKind(mediaTypeOf(headers), bytes) === 'html';
  const html = isHtml ? decodeText(bytes, findCharset(bytes, headers['content-type'] ?? '', 'html')) : '';
  return readPageLinks(html, url, headers);
}

/** What a page's head says about other URLs of it. */
function readPageLinks(html: string, url: string, headers: Record<string, string>): PageLinks {
  const found: PageLinks = {
    refresh: headers['refresh'] === undefined ? null : parseRefresh(headers['refresh'], url),
    canonical: canonicalOfHeader(headers['link'] ?? '', url),
  };
  let base = url;
  let baseSeen = false;
  scanHtml(html, {
    onStartTag(name, attributes) {
      if (name === 'base' && !baseSeen && attributes.has('href')) {
        baseSeen = true;
        base = resolveLink(attributes.get('href') ?? '', url) ?? url;
      } else if (name === 'meta' && attributes.get('http-equiv')?.trim().toLowerCase() === 'refresh') {
        found.refresh ??= parseRefresh(attributes.get('content') ?? '', base);
      } else if (name === 'link' && /(^|\s)canonical(\s|$)/i.test(attributes.get('rel') ?? '')) {
        found.canonical ??= resolveLink(attributes.get('href') ?? '', base);
      }
    },
    onText: () => undefined,
    onEndTag: () => undefined,
  });
  return found;
}

/** `Link: <https://…>; rel="canonical"` (RFC 8288). */
function canonicalOfHeader(header: string, base: string): string | null {
  for (const [, target = '', parameters = ''] of header.matchAll(/<([^<>]{1,8192})>([^<]{0,1000})/g)) {
    if (/;\s*rel\s*=\s*"?([^";]*\s)?canonical(\s|"|;|,|$)/i.test(parameters))
      return resolveLink(target, base);
  }
  return null;
}
