import sniffEncoding from 'html-encoding-sniffer';
import { AppError } from '../../shared/errors.ts';
import type { EgressLease, EgressResponse } from '../../shared/egress/types.ts';
import { userAgentOf } from '../browser/user-agent.ts';

/** That of the bundled Chromium: a page is asked for alike, whichever engine reads it. */
export const defaultUserAgent = userAgentOf('153', 'desktop');

export interface FetchPageOptions {
  url: string;
  /** Headers and cookies for the origin of `url` only. */
  headers: Record<string, string>;
  cookies: Record<string, string>;
  userAgent: string;
  timeoutMs: number;
  signal: AbortSignal;
}

/** A page as its server sent it, its text decoded. */
export interface FetchedPage extends Omit<EgressResponse, 'body'> {
  text: string;
  /** WHATWG name of the encoding, e.g. `windows-1252`. */
  charset: string;
  /** Without parameters, lower case; null when the target names none. */
  contentType: string | null;
  isHtml: boolean;
  /** Of the decoded body, before its text was decoded. */
  sizeBytes: number;
}

const textTypes =
  /^(text\/.*|application\/(.*\+)?(json|xml)|application\/(x-)?(javascript|ecmascript|ndjson|yaml)|image\/svg\+xml)$/;
const htmlTypes = /^(text\/html|application\/xhtml\+xml)$/;
const looksLikeHtml = /^\s*(<!doctype\s+html|<html|<head|<body|<!--)/i;

function contentTypeOf(response: EgressResponse): string | null {
  const value = response.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  return value ? value : null;
}

function charsetOf(response: EgressResponse, isHtml: boolean): string {
  const label = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(response.headers['content-type'] ?? '')?.[1];
  const sniffed = sniffEncoding(response.body, {
    ...(label === undefined ? {} : { transportLayerEncodingLabel: label }),
    // A browser assumes windows-1252 for HTML that says nothing; UTF-8 that is valid is never that by chance.
    defaultEncoding: isHtml && !isUtf8(response.body) ? 'windows-1252' : 'UTF-8',
  });
  return sniffed.toLowerCase();
}

function isUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/**
 * Reads a page over plain HTTP through the door.
 * @throws AppError the door's own codes, and `unsupported_content` for what is no text.
 */
export async function fetchPage(lease: EgressLease, options: FetchPageOptions): Promise<FetchedPage> {
  const cookie = Object.entries(options.cookies)
    .map(([name, value]) => `${name}=${value}`)
    .join('; ');
  const { body, ...response } = await lease.fetch({
    url: options.url,
    headers: {
      accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
      'accept-language': 'en-US,en;q=0.9',
      'user-agent': options.userAgent,
    },
    originHeaders: { ...options.headers, ...(cookie === '' ? {} : { cookie }) },
    timeoutMs: options.timeoutMs,
    signal: options.signal,
  });
  const contentType = contentTypeOf({ ...response, body });
  const head = body.subarray(0, 1_024);
  const isText = contentType === null ? !head.includes(0) : textTypes.test(contentType);
  const isWide = (body[0] === 0xff && body[1] === 0xfe) || (body[0] === 0xfe && body[1] === 0xff);
  if (!isText && !(contentType === null && isWide)) {
    throw new AppError(
      'unsupported_content',
      `The target is ${contentType ?? 'of an unknown type'} (${body.length} bytes), not a page or text. Give the URL of a page.`,
    );
  }
  const isHtml =
    contentType === null ? looksLikeHtml.test(head.toString('latin1')) : htmlTypes.test(contentType);
  const charset = charsetOf({ ...response, body }, isHtml);
  return {
    ...response,
    contentType,
    isHtml,
    charset,
    sizeBytes: body.length,
    text: new TextDecoder(charset).decode(body),
  };
}
