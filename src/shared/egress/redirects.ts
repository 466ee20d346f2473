import { afterRedirect, badUrl, EgressError, protocolError } from './egress-error.ts';
import type { OutcomeLog } from './outcome-log.ts';
import type { TargetPolicy } from './policy.ts';
import { checkTargetUrl } from './target-url.ts';
import type { EgressBody } from './types.ts';

/** One request on the way: the first, or where a redirect led. */
export interface Hop {
  url: URL;
  method: string;
  headers: Record<string, string>;
  /** For the first origin only. */
  originHeaders: Record<string, string>;
  body: EgressBody | null;
  bodyBytes: number | null;
}

export function isStreamed(body: EgressBody | null): body is AsyncIterable<Uint8Array> {
  return body !== null && typeof body === 'object' && Symbol.asyncIterator in body;
}

export function isRedirect(status: number): boolean {
  return status === 301 || status === 302 || status === 303 || status === 307 || status === 308;
}

/**
 * The next hop, as the Fetch standard's HTTP-redirect fetch makes it; a `Location` that may not be followed is logged.
 * @throws EgressError when the `Location` may not be followed.
 */
export function followRedirect(
  hop: Hop,
  status: number,
  location: string,
  { policy, log }: { policy: TargetPolicy; log: OutcomeLog },
): Hop {
  const checked = checkLocation(hop.url, location, policy);
  if (checked.error) {
    log.failed(checked.host ?? '', checked.port, 'fetch', checked.error);
    throw afterRedirect(checked.error);
  }
  const { url } = checked;
  if (url.hash === '') url.hash = hop.url.hash;
  const becomesGet =
    (status === 303 && hop.method !== 'HEAD') ||
    ((status === 301 || status === 302) && hop.method === 'POST');
  if (!becomesGet && isStreamed(hop.body)) {
    throw protocolError(
      'The target redirected a request whose body had been sent already. Ask for the final URL.',
    );
  }
  const isSameOrigin = url.origin === hop.url.origin;
  return {
    url,
    method: becomesGet ? 'GET' : hop.method,
    headers: becomesGet ? withoutContent(hop.headers) : hop.headers,
    // Dropped for good: a way back through another origin could be steered by that origin.
    originHeaders: isSameOrigin ? (becomesGet ? withoutContent(hop.originHeaders) : hop.originHeaders) : {},
    body: becomesGet ? null : hop.body,
    bodyBytes: becomesGet ? null : hop.bodyBytes,
  };
}

/** Where a `Location` header leads; null where it is no URL. Its bytes, which Node reads as Latin-1, stay what they are, as in browsers. */
export function resolveLocation(location: string, base: string): URL | null {
  const escaped = location.replaceAll(
    /[\x80-\xff]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return URL.parse(escaped, base);
}

function checkLocation(base: URL, location: string, policy: TargetPolicy): ReturnType<typeof checkTargetUrl> {
  const url = resolveLocation(location, base.href);
  if (url !== null) return checkTargetUrl(url.href, policy);
  return { error: badUrl('parse', 'Its Location header is not a URL.'), host: null, port: 0 };
}

export function tooManyRedirects(last: URL, count: number): EgressError {
  const detail =
    `The target redirected ${count} times without arriving; the last URL was ${last.href.slice(0, 500)}. ` +
    'It may be a loop; ask for the final URL directly.';
  return new EgressError('too_many_redirects', detail, 'refused', 'redirects');
}

function withoutContent(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !/^content-/i.test(name)));
}
