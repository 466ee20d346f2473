import { findBodyKind } from '../page/fetch/body-kind.ts';
import { decodeText, findCharset } from '../page/html/charset.ts';
import { mediaTypeOf } from '../page/fetch/fetch-page.ts';
import { resolveLink } from '../page/html/page-links.ts';
import { soonestRefresh } from '../page/load/refresh.ts';
import { scanHtml } from '../page/html/scan-html.ts';
import { SilentElements } from '../page/html/silent-elements.ts';

/** Where a refresh leads, its fragment kept; null where that is the page itself. */
function refreshTarget(contents: readonly string[], base: string, url: string): string | null {
  const refresh = soonestRefresh(contents);
  const target = refresh === null ? null : URL.parse(refresh.target, base);
  if (target === null || resolveLink(target.href, base) === null) return null;
  return target.href === url ? null : target.href;
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
  const refreshes = headers['refresh'] === undefined ? [] : [headers['refresh']];
  let canonical = canonicalOfHeader(headers['link'] ?? '', url);
  let base = url;
  let baseSeen = false;
  const hidden = new SilentElements(['template', 'noscript']);
  scanHtml(html, {
    onStartTag(name, attributes) {
      hidden.start(name, attributes);
      if (name === 'base' && !baseSeen && attributes.has('href')) {
        baseSeen = true;
        base = resolveLink(attributes.get('href') ?? '', url) ?? url;
      } else if (name === 'meta' && attributes.get('http-equiv')?.trim().toLowerCase() === 'refresh') {
        if (hidden.inside === null) refreshes.push(attributes.get('content') ?? '');
      } else if (name === 'link' && /(^|\s)canonical(\s|$)/i.test(attributes.get('rel') ?? '')) {
        const href = attributes.get('href')?.trim() ?? '';
        if (href !== '') canonical ??= resolveLink(href, base);
      }
    },
    onText: () => undefined,
    onEndTag: (name) => void hidden.end(name),
  });
  return { refresh: refreshTarget(refreshes, base, url), canonical };
}

/** `Link: <https://…>; rel="canonical"` (RFC 8288). */
function canonicalOfHeader(header: string, base: string): string | null {
  for (const [, target = '', parameters = ''] of header.matchAll(/<([^<>]{1,8192})>([^<]{0,1000})/g)) {
    if (parameters.split(';').slice(1).some(isCanonical)) return resolveLink(target, base);
  }
  return null;
}

function isCanonical(parameter: string): boolean {
  const [name = '', value = ''] = parameter.split('=');
  return (
    name.trim().toLowerCase() === 'rel' &&
    value
      .toLowerCase()
      .split(/[\s",]+/)
      .includes('canonical')
  );
}
