import { readContentType } from '../html/content-type.ts';
import { AppError } from '../../../shared/errors.ts';
import type { EgressLease, EgressRequest, EgressResponse } from '../../../shared/egress/types.ts';
import { userAgentOf } from '../../browser/user-agent.ts';
import { firstByteMsOf } from '../first-byte.ts';
import type { AskedPage } from '../page-request.ts';
import { type BodyKind, findBodyKind, isDocument, mayBePage } from './body-kind.ts';
import { explainFile } from './unread-file.ts';

/** That of the bundled Chromium: a page is asked for alike, whichever engine reads it. */
const defaultUserAgent = userAgentOf('153', 'desktop');
const mobileUserAgent = userAgentOf('153', 'mobile');

export interface FetchPageOptions extends AskedPage {
  url: string;
  timeoutMs: number;
  /** Default: see `firstByteMsOf`. */
  firstByteTimeoutMs?: number;
  cookieJar?: EgressRequest['cookieJar'];
  isRedirected?: EgressRequest['isRedirected'];
  /** What a browser would not show but download is not fetched: `unsupported_content`. */
  pagesOnly?: boolean;
  signal: AbortSignal;
}

/** A page as its server sent it. */
export interface FetchedPage extends EgressResponse {
  kind: BodyKind;
  /** Without parameters, lower case; null when the target names none. */
  contentType: string | null;
}

/** Without parameters, lower case; null when there is none. */
export const mediaTypeOf = (headers: Record<string, string>): string | null =>
  readContentType(headers['content-type'] ?? '').type;

/** What a client may send to the first origin only. */
function originHeadersOf(
  headers: Record<string, string>,
  cookies: Record<string, string>,
): Record<string, string> {
  const cookie = Object.entries(cookies)
    .map(([name, value]) => `${name}=${value}`)
    .join('; ');
  return { ...headers, ...(cookie === '' ? {} : { cookie }) };
}

/** The headers that a page is asked for with: for every hop, and for the first origin only. */
export function pageHeadersOf(asked: AskedPage): {
  headers: Record<string, string>;
  originHeaders: Record<string, string>;
} {
  const userAgent = asked.userAgent ?? (asked.mobile ? mobileUserAgent : defaultUserAgent);
  const headers = {
    accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'accept-language': acceptLanguageOf(asked.locale),
    'user-agent': userAgent,
  };
  return { headers, originHeaders: originHeadersOf(asked.headers ?? {}, asked.cookies ?? {}) };
}

function acceptLanguageOf(locale = 'en-US'): string {
  const language = locale.split('-')[0] ?? locale;
  return language === locale ? locale : `${locale},${language};q=0.9`;
}

/** By what its server says of it: to be saved, not shown. */
export const isAttachment = (headers: Record<string, string>): boolean =>
  /^\s*attachment/i.test(headers['content-disposition'] ?? '');

/** Whether a browser would show the answer; it stays where it is for others. */
export function isPage({ status, headers }: Pick<EgressResponse, 'status' | 'headers'>): boolean {
  return status !== 204 && status !== 205 && !isAttachment(headers) && mayBePage(mediaTypeOf(headers));
}

/**
 * Reads a page over plain HTTP through the door.
 * @throws AppError the door's own codes, and `unsupported_content` for what is neither text nor a document that can be read.
 */
export async function fetchPage(lease: EgressLease, options: FetchPageOptions): Promise<FetchedPage> {
  const { url, timeoutMs, signal, firstByteTimeoutMs = firstByteMsOf(timeoutMs), cookieJar } = options;
  const { pagesOnly = false, isRedirected = false } = options;
  const response = await lease.fetch({
    url,
    isRedirected,
    ...pageHeadersOf(options),
    timeoutMs,
    firstByteTimeoutMs,
    ...(cookieJar === undefined ? {} : { cookieJar }),
    signal,
    readBody: (head) => !pagesOnly || isPage(head),
  });
  const { body, headers } = response;
  const contentType = mediaTypeOf(headers);
  const kind = findBodyKind(contentType, body, headers['content-type'], URL.parse(response.url)?.pathname);
  if (kind === null || (pagesOnly && (!isPage(response) || isDocument(kind)))) {
    const explained = explainFile(body);
    const type = `${contentType ?? 'of an unknown type'} (${body.length} bytes)`;
    throw new AppError(
      'unsupported_content',
      explained === null
        ? `The target is ${type}, not a page, a text or a document that can be read (PDF, DOCX, XLSX). Give the URL of a page.`
        : `The target is ${explained}`,
    );
  }
  return { ...response, kind, contentType };
}
