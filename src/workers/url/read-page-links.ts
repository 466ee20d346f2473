import { findBodyKind } from '../page/fetch/body-kind.ts';
import decodeBody from '../page/html/decode-body.ts';
import { mediaTypeOf } from '../page/fetch/fetch-page.ts';
import { readHead } from '../page/html/head.ts';

export interface PageLinks {
  refresh: string | null;
  canonical: string | null;
}

export interface Answer {
  body: Uint8Array;
  headers: Record<string, string>;
  url: string;
}

/** What an answer says about other URLs of it: its headers, and its markup where it is a page. */
export default function readAnswerLinks({ body, headers, url }: Answer): PageLinks {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const isHtml = findBodyKind(mediaTypeOf(headers), bytes) === 'html';
  const contentType = headers['content-type'] ?? '';
  const page = isHtml ? decodeBody({ body, contentType, kind: 'html' }) : { text: '', charset: null };
  const { refresh, canonical } = readHead(page.text, { url, headers, charset: page.charset });
  return { refresh: refresh === null || refresh.isSelf ? null : refresh.url, canonical };
}
