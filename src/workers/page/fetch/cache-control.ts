import { robotsSay } from '../html/robots-directives.ts';
import type { PageCopy } from '../page-copy.ts';

/** Directives of a Cache-Control field by lower-case name; one that stands twice has its first value. */
function readDirectives(field: string): Map<string, string> {
  const directives = new Map<string, string>();
  for (const part of field.split(',')) {
    const [name = '', ...value] = part.split('=');
    const key = name.trim().toLowerCase();
    if (key !== '' && !directives.has(key)) directives.set(key, value.join('=').trim().replaceAll('"', ''));
  }
  return directives;
}

/**
 * Whether a Cache-Control field has one of these words, whatever stands between them: who has written `private; max-age=0`
 * did not mean a page for everybody.
 */
const namesAny = (field: string | undefined, ...words: readonly string[]): boolean =>
  (field ?? '')
    .toLowerCase()
    .split(/[^\w-]+/)
    .some((word) => words.includes(word));

const bounding = ['must-revalidate', 'proxy-revalidate', 's-maxage'];

/** Milliseconds that the server calls the answer fresh for from when it came; 0 where it does not say so clearly. */
function freshnessMs(directives: Map<string, string>, headers: Record<string, string>): number {
  const given = directives.get('s-maxage') ?? directives.get('max-age');
  const age = Number(headers['age'] ?? 0);
  const seconds =
    given === undefined
      ? (Date.parse(headers['expires'] ?? '') - Date.parse(headers['date'] ?? '')) / 1_000
      : Number(given === '' ? Number.NaN : given);
  return Number.isFinite(seconds) && Number.isFinite(age) ? Math.max(0, seconds - age) * 1_000 : 0;
}

/** The answer may be kept at all: RFC 9111, sections 3 and 4.1. */
export const mayBeKept = ({ headers }: Pick<PageCopy, 'headers'>): boolean =>
  !namesAny(headers['cache-control'], 'no-store') && !/(^|,)\s*\*/.test(headers['vary'] ?? '');

/**
 * What a shared cache may not keep for others (RFC 9111, section 5.2.2), or what wants to be in no index, is not told to
 * others either.
 */
export const isPrivate = (headers: Readonly<Record<string, string>>): boolean =>
  namesAny(headers['cache-control'], 'private', 'no-store') || robotsSay(headers['x-robots-tag'], 'noindex');

/**
 * For how long a shared cache may answer others with the copy: the rules of RFC 9111 (sections 3, 4.1, 4.2.4 and 5.2.2),
 * where `maxAge` of a request says, as `max-stale` does, that a stale copy is accepted. All that a request can vary is a
 * part of the cache's key. Never one that sets a cookie, or that came by a redirect, which may have set one; nor one
 * of a browser, which is also made of answers that it does not name.
 * @returns milliseconds from when it came; null: not at all.
 */
export function sharedForMs(copy: PageCopy): number | null {
  const { headers, engine, redirects } = copy;
  const field = headers['cache-control'];
  const setsCookie = 'set-cookie' in headers || 'set-cookie2' in headers;
  if (engine !== 'http' || redirects.length > 0 || setsCookie || !mayBeKept(copy)) return null;
  if (namesAny(field, 'private', 'no-cache')) return null;
  if (field === undefined && /\bno-cache\b/i.test(headers['pragma'] ?? '')) return null;
  return namesAny(field, ...bounding) ? freshnessMs(readDirectives(field ?? ''), headers) : Infinity;
}
