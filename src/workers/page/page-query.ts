import { hash } from 'node:crypto';
import type { PageQuery } from '../../shared/schemas/page-options.ts';

/** A page that a client asked for with secrets of its own is that client's alone. */
export function isShareable({ headers = {}, cookies = {} }: Pick<PageQuery, 'headers' | 'cookies'>): boolean {
  return Object.keys(headers).length === 0 && Object.keys(cookies).length === 0;
}

/** Raised when a copy's shape changes, so that an older one is not read as a new one. */
const copyVersion = 3;

/** What no server is told: the part from `#` on. */
export function fragmentOf(url: string): string {
  const start = url.indexOf('#');
  return start === -1 ? '' : url.slice(start);
}

/**
 * The key of a page's copy: everything that can change the page. How long one waits for it does not, and a
 * fragment only where a browser may read it: many an app shows another page for each.
 */
export function cacheKeyOf(query: PageQuery): Buffer {
  return hash('sha256', identityOf(query), 'buffer');
}

/** The same, as text of any length. */
export function identityOf(query: PageQuery): string {
  const {
    url,
    timeout: _timeout,
    maxAge: _maxAge,
    store: _store,
    headers: _headers,
    cookies: _cookies,
    ...rest
  } = query;
  const address = URL.parse(url);
  if (address !== null && query.render === 'http') address.hash = '';
  const options = Object.entries(rest)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([copyVersion, address?.href ?? url, options]);
}
