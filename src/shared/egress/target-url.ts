import { badUrl, type EgressError, notAllowed } from './egress-error.ts';
import type { TargetPolicy } from './policy.ts';

/** Characters of a URL that a client may ask for; what web servers usually bear. */
const maxUrlLength = 8_192;

export type CheckedUrl =
  | { url: URL; host: string; port: number; error: null }
  /** `host`, `port`: canonical, where the text has them (else null and 0), although it is refused. */
  | { error: EgressError; host: string | null; port: number };

/** Checks a client's text. Where two parsers could read two hosts, the text is refused, not repaired. */
export function checkTargetText(text: string, policy: TargetPolicy): CheckedUrl {
  const flaw = flawOfText(text);
  if (flaw !== null) return refused(flaw, parseUrl(text));
  return checkTargetUrl(text, policy);
}

/** Checks a URL that a browser or a redirect already wrote out: its spelling and length are no longer judged. */
export function checkTargetUrl(href: string, policy: TargetPolicy): CheckedUrl {
  const url = parseUrl(href);
  if (url === null) return refused(badUrl('parse', 'The URL cannot be read. Check its host and port.'), null);
  const host = url.hostname;
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return refused(wrongScheme(url.protocol), url);
  if (hasCredentials(url)) return refused(withCredentials(), url);
  const port = portOf(url);
  const reason = policy.refusalOfHost(host, port);
  return reason === null ? { url, host, port, error: null } : refused(notAllowed(reason), url);
}

function refused(error: EgressError, url: URL | null): CheckedUrl {
  return { error, host: url?.hostname ?? null, port: url ? portOf(url) : 0 };
}

export function portOf(url: URL): number {
  return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
}

function parseUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

function flawOfText(text: string): EgressError | null {
  if (text.length > maxUrlLength) {
    return badUrl(
      'parse',
      `The URL is ${text.length} characters long; at most ${maxUrlLength} are accepted.`,
    );
  }
  // WHATWG parsers drop or trim these silently; others do not, and so read another host.
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u0020\u007f]/.test(text)) {
    return badUrl('parse', 'The URL contains a space or control character. Write a space as %20.');
  }
  const scheme = /^([a-z][a-z0-9+.-]*:)(.*)$/is.exec(text);
  if (!scheme) return badUrl('parse', 'The URL has no scheme. Begin it with https:// or http://.');
  const [, name = '', rest = ''] = scheme;
  if (!/^https?:$/i.test(name)) return wrongScheme(name.toLowerCase());
  if (/^[^?#]*\\/.test(rest)) {
    return badUrl('parse', 'The URL contains a backslash, which parsers read differently. Write / or %5C.');
  }
  if (!/^\/\/[^/?#]/.test(rest)) {
    return badUrl(
      'parse',
      'After the scheme the URL needs exactly two slashes and a host, as in https://example.com/.',
    );
  }
  // Also empty ones, which a parser drops: what stands before the @ is another parser's host.
  if (/^\/\/[^/?#]*@/.test(rest)) return withCredentials();
  return null;
}

/** Path and query as a server is asked for them: an empty query is one, too. */
export function requestTargetOf({ href, protocol }: URL): string {
  const [target = ''] = href.slice(href.indexOf('/', protocol.length + 2)).split('#', 1);
  return target;
}

export const hasCredentials = (url: URL): boolean => url.username !== '' || url.password !== '';

/** That a URL has a user name or a password, which is asked of nobody. */
export function withCredentials(): EgressError {
  const detail =
    'The URL carries a user name or password, which would end up in logs. Send them in an Authorization header.';
  return badUrl('credentials', detail);
}

function wrongScheme(protocol: string): EgressError {
  const shown = protocol.slice(0, 40).replaceAll(/[^a-z0-9+.:-]/g, '');
  return badUrl('scheme', `The URL's scheme is ${shown} but only http: and https: can be fetched.`);
}
