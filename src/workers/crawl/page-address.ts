import { getDomain } from 'tldts';

/** Parameters that follow a visitor around and never change the page. */
const trackingParameter =
  /^(utm_\w+|gclid|gclsrc|dclid|gbraid|wbraid|fbclid|msclkid|yclid|twclid|ttclid|igshid|mc_cid|mc_eid|_ga|_gl|_hsenc|_hsmi|mkt_tok|oly_anon_id|oly_enc_id|vero_id|wickedid|srsltid)$/i;
const sessionParameter =
  /^(phpsessid|jsessionid|aspsessionid\w*|asp\.net_sessionid|session_?id|sess_?id|sid|cfid|cftoken|zenid|oscsid)$/i;
const sessionInPath = /;(jsessionid|phpsessid|sid)=[^/?#;]*/gi;

/** A URL as a crawl asks for it, and the key under which it is the same page as others. */
export interface PageAddress {
  /** Without fragment, session ids and tracking parameters. */
  url: string;
  /** Equal for http and https, with and without the slash at the end, and for parameters in any order. */
  key: string;
  host: string;
}

/** @returns null for what is no http(s) URL. */
export function toPageAddress(text: string): PageAddress | null {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
  url.hash = '';
  if (url.pathname.includes(';')) url.pathname = url.pathname.replaceAll(sessionInPath, '');
  let query = '';
  if (url.search !== '') {
    const kept = url.search
      .slice(1)
      .split('&')
      .filter((pair) => {
        const name = pair.split('=', 1)[0] ?? '';
        return pair !== '' && !trackingParameter.test(name) && !sessionParameter.test(name);
      });
    url.search = kept.join('&');
    query = kept.sort().join('&');
  }
  const path = url.pathname.length > 1 ? url.pathname.replace(/\/+$/, '') : '';
  const port = url.port === '' ? '' : `:${url.port}`;
  return { url: url.href, key: `${url.hostname}${port}${path}?${query}`, host: url.host };
}

/** What "the same domain" means: the registrable domain; for addresses and local names the host with its port. */
export function siteOf(url: string): string {
  const { hostname, host } = new URL(url);
  return getDomain(hostname, { allowPrivateDomains: true }) ?? host;
}
