const maxCookies = 180;

interface Cookie {
  name: string;
  value: string;
  /** The host itself, or the domain that the server named: then its subdomains too. */
  domain: string;
  withSubdomains: boolean;
  secureOnly: boolean;
}

/**
 * The cookies of one fetch, kept between its redirects only: many sites loop for ever without them.
 * Paths are ignored and there is no public-suffix list, because nothing outlives the fetch.
 */
export class RedirectCookies {
  #cookies: Cookie[] = [];

  store(url: URL, setCookieHeaders: readonly string[]): void {
    for (const header of setCookieHeaders) this.#storeOne(url, header);
  }

  /** The `Cookie` header for `url`; null when there are none. */
  headerFor(url: URL): string | null {
    const pairs = this.#cookies
      .filter((cookie) => matches(cookie, url))
      .map(({ name, value }) => (name === '' ? value : `${name}=${value}`));
    return pairs.length === 0 ? null : pairs.join('; ');
  }

  #storeOne(url: URL, header: string): void {
    const [pair = '', ...attributeTexts] = header.split(';');
    const separator = pair.indexOf('=');
    const name = pair.slice(0, Math.max(separator, 0)).trim();
    const value = pair.slice(separator + 1).trim();
    const attributes = new Map(attributeTexts.map(parseAttribute));
    const named = (attributes.get('domain') ?? '').replace(/^\./, '').toLowerCase();
    const withSubdomains = named.includes('.') && isWithin(url.hostname, named);
    if (named !== '' && named !== url.hostname && !withSubdomains) return;
    const domain = withSubdomains ? named : url.hostname;

    this.#cookies = this.#cookies.filter((known) => known.name !== name || known.domain !== domain);
    if (isExpired(attributes) || this.#cookies.length >= maxCookies) return;
    this.#cookies.push({ name, value, domain, withSubdomains, secureOnly: attributes.has('secure') });
  }
}

function parseAttribute(text: string): [string, string] {
  const [name = '', ...rest] = text.split('=');
  return [name.trim().toLowerCase(), rest.join('=').trim()];
}

function isExpired(attributes: Map<string, string>): boolean {
  const maxAge = attributes.get('max-age');
  if (maxAge !== undefined) return Number(maxAge) <= 0;
  return Date.parse(attributes.get('expires') ?? '') < Date.now();
}

function matches(cookie: Cookie, url: URL): boolean {
  if (cookie.secureOnly && url.protocol !== 'https:') return false;
  return cookie.withSubdomains ? isWithin(url.hostname, cookie.domain) : url.hostname === cookie.domain;
}

function isWithin(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`);
}
