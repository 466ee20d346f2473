const maxCookies = 180;
/** Of name and value together, as browsers keep them (RFC 6265bis, section 5.6). */
const longestCookie = 4_096;
/** Of all attributes of one header; what is longer is none. */
const longestHeader = 8_192;

interface Cookie {
  name: string;
  value: string;
  /** The host itself, or the domain that the server named: then its subdomains too. */
  domain: string;
  withSubdomains: boolean;
  secureOnly: boolean;
  path: string;
}

/**
 * The cookies of one fetch, kept between its redirects only: many sites loop for ever without them.
 * There is no public-suffix list, because nothing outlives the fetch.
 */
export class RedirectCookies {
  #cookies: Cookie[] = [];
  /** Of all that was set or deleted for the whole host. */
  readonly #names = new Set<string>();

  store(url: URL, setCookieHeaders: readonly string[]): void {
    for (const header of setCookieHeaders.slice(0, maxCookies))
      if (header.length <= longestHeader) this.#storeOne(url, header);
  }

  /**
   * The `Cookie` header for `url`; null when there are none.
   * @param own that of the client; what an answer has named since, for the host or for this URL, is no longer the
   * client's.
   */
  headerFor(url: URL, own = ''): string | null {
    // The longer path first (RFC 6265, section 5.4).
    const stored = this.#cookies
      .filter((cookie) => matches(cookie, url))
      .toSorted((one, other) => other.path.length - one.path.length);
    const isReplaced = (name: string) =>
      this.#names.has(name) || stored.some((cookie) => cookie.name === name);
    const kept = own.split(/; */).filter((pair) => pair !== '' && !isReplaced(nameOf(pair)));
    const pairs = [...kept, ...stored.map(({ name, value }) => (name === '' ? value : `${name}=${value}`))];
    return pairs.length === 0 ? null : pairs.join('; ');
  }

  #storeOne(url: URL, header: string): void {
    const [pair = '', ...attributeTexts] = header.split(';');
    const name = nameOf(pair);
    const value = pair.slice(pair.indexOf('=') + 1).trim();
    if (name.length + value.length > longestCookie) return;
    const attributes = new Map(attributeTexts.map(parseAttribute));
    if (!keepsPromise(name, attributes, url)) return;
    const named = (attributes.get('domain') ?? '').replace(/^\./, '').toLowerCase();
    const withSubdomains = named.includes('.') && isWithin(url.hostname, named);
    if (named !== '' && named !== url.hostname && !withSubdomains) return;
    const domain = withSubdomains ? named : url.hostname;

    const path = pathOf(attributes.get('path'), url);
    if (path === '/') this.#names.add(name);
    this.#cookies = this.#cookies.filter(
      (known) => known.name !== name || known.domain !== domain || known.path !== path,
    );
    if (isExpired(attributes) || this.#cookies.length >= maxCookies) return;
    this.#cookies.push({ name, value, domain, withSubdomains, secureOnly: attributes.has('secure'), path });
  }
}

function nameOf(pair: string): string {
  return pair.slice(0, Math.max(pair.indexOf('='), 0)).trim();
}

function parseAttribute(text: string): [string, string] {
  const [name = '', ...rest] = text.split('=');
  return [name.trim().toLowerCase(), rest.join('=').trim()];
}

/** RFC 6265, sections 5.1.4 and 5.2.4. */
function pathOf(attribute: string | undefined, url: URL): string {
  if (attribute?.startsWith('/') === true) return attribute;
  return url.pathname.slice(0, Math.max(1, url.pathname.lastIndexOf('/')));
}

/** What a name promises of its cookie (RFC 6265bis, section 4.1.3). */
function keepsPromise(name: string, attributes: ReadonlyMap<string, string>, url: URL): boolean {
  const [, kind] = /^__(secure|host)-/i.exec(name) ?? [];
  if (kind === undefined) return true;
  if (url.protocol !== 'https:' || !attributes.has('secure')) return false;
  return kind.toLowerCase() === 'secure' || (!attributes.get('domain') && attributes.get('path') === '/');
}

/** Years of two digits are of 1970 to 2069 (RFC 6265, section 5.1.1); of 1950 to 2049 in JavaScript. */
const writeOutYear = (date: string): string =>
  date.replace(
    /(\d[ -][a-z]{3}[ -])(\d\d)(?!\d)/i,
    (_, before: string, year: string) => before + (Number(year) < 70 ? '20' : '19') + year,
  );

function isExpired(attributes: Map<string, string>): boolean {
  const maxAge = attributes.get('max-age');
  // What is no number is as if it were not there (RFC 6265, section 5.2.2).
  if (maxAge !== undefined && /^-?\d+$/.test(maxAge)) return Number(maxAge) <= 0;
  return Date.parse(writeOutYear(attributes.get('expires') ?? '')) < Date.now();
}

function matches(cookie: Cookie, url: URL): boolean {
  if (cookie.secureOnly && url.protocol !== 'https:') return false;
  // RFC 6265, section 5.1.4.
  const { pathname } = url;
  const isBelow = pathname.startsWith(cookie.path.replace(/\/?$/, '/'));
  if (pathname !== cookie.path && !isBelow) return false;
  return cookie.withSubdomains ? isWithin(url.hostname, cookie.domain) : url.hostname === cookie.domain;
}

function isWithin(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`);
}
