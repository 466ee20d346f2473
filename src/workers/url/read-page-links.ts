import { findBodyKind } from '../page/fetch/body-kind.ts';
import decodeBody from '../page/html/decode-body.ts';
import { mediaTypeOf } from '../page/fetch/fetch-page.ts';
import { longestTarget } from '../page/load/refresh.ts';
import { resolveLink } from '../page/html/page-links.ts';
import { RefreshReader } from '../page/html/page-refresh.ts';
import { scanHtml } from '../page/html/scan-html.ts';

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
  const contentType = headers['content-type'] ?? '';
  const page = isHtml ? decodeBody({ body, contentType, kind: 'html' }) : { text: '', charset: null };
  return readPageLinks(page, url, headers);
}

/** What a page's head says about other URLs of it. */
function readPageLinks(
  { text: html, charset }: { text: string; charset: string | null },
  url: string,
  headers: Record<string, string>,
): PageLinks {
  const refreshes = new RefreshReader(url, headers, charset);
  let canonical = canonicalOfHeader(headers['link'] ?? '', url);
  scanHtml(html, {
    onStartTag(name, attributes) {
      refreshes.onStartTag(name, attributes);
      if (name !== 'link' || !/(^|\s)canonical(\s|$)/i.test(attributes.get('rel') ?? '')) return;
      const href = attributes.get('href')?.trim() ?? '';
      if (href !== '' && href.length <= longestTarget)
        canonical ??= resolveLink(href, refreshes.base, charset);
    },
    onText: () => undefined,
    onEndTag: (name) => refreshes.onEndTag(name),
  });
  const refresh = refreshes.target;
  return { refresh: refresh === null || refresh.isSelf ? null : refresh.url, canonical };
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
