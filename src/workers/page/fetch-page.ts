import { AppError } from '../../shared/errors.ts';
import type { EgressLease, EgressResponse } from '../../shared/egress/types.ts';
import { userAgentOf } from '../browser/user-agent.ts';
import { type BodyKind, findBodyKind } from './body-kind.ts';

/** That of the bundled Chromium: a page is asked for alike, whichever engine reads it. */
export const defaultUserAgent = userAgentOf('153', 'desktop');
export const mobileUserAgent = userAgentOf('153', 'mobile');

export interface FetchPageOptions {
  url: string;
  /** Headers and cookies for the origin of `url` only. */
  headers: Record<string, string>;
  cookies: Record<string, string>;
  userAgent: string;
  /** Value of `Accept-Language`. */
  acceptLanguage: string;
  timeoutMs: number;
  signal: AbortSignal;
}

/** A page as its server sent it. */
export interface FetchedPage extends EgressResponse {
  kind: BodyKind;
  /** Without parameters, lower case; null when the target names none. */
  contentType: string | null;
}

/** Without parameters, lower case; null when there is none. */
export function mediaTypeOf(headers: Record<string, string>): string | null {
  return headers['content-type']?.split(/[;,]/)[0]?.trim().toLowerCase() || null;
}

/** What a client may send to the first origin only. */
export function originHeadersOf(
  headers: Record<string, string>,
  cookies: Record<string, string>,
): Record<string, string> {
  const cookie = Object.entries(cookies)
    .map(([name, value]) => `${name}=${value}`)
    .join('; ');
  return { ...headers, ...(cookie === '' ? {} : { cookie }) };
}

/**
 * Reads a page over plain HTTP through the door.
 * @throws AppError the door's own codes, and `unsupported_content` for what is neither text nor PDF.
 */
export async function fetchPage(lease: EgressLease, options: FetchPageOptions): Promise<FetchedPage> {
  const response = await lease.fetch({
    url: options.url,
    headers: {
      accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
      'accept-language': options.acceptLanguage,
      'user-agent': options.userAgent,
    },
    originHeaders: originHeadersOf(options.headers, options.cookies),
    timeoutMs: options.timeoutMs,
    signal: options.signal,
  });
  const { body, headers } = response;
  const contentType = mediaTypeOf(headers);
  const kind = findBodyKind(contentType, body);
  if (kind === null) {
    throw new AppError(
      'unsupported_content',
      `The target is ${contentType ?? 'of an unknown type'} (${body.length} bytes), not a page, text or PDF. Give the URL of a page.`,
    );
  }
  return { ...response, kind, contentType };
}
