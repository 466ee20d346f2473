import { getDomain } from 'tldts';
import { isTrackingParameter } from './tracking-parameters.ts';
import { plain } from './plain-escapes.ts';

const sessionParameter = /^(phpsessid|jsessionid|aspsessionid\w*|asp\.net_sessionid|cftoken|zenid|oscsid)$/i;
/** Sites name other things so too, a story or a talk: it depends on the value. */
const mayBeSession = /^(?:session_?id|sess_?id|sid)=/i;
const sessionInPath = /;(jsessionid|phpsessid|sid)=([^/?#;]*)/gi;
/** A long number alone is that of a thing. */
const plainToken = /^(?=[a-z]*\d)(?=\d*[a-z])[a-z\d]{16,}$/i;
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** A base64 text, a token in parts, a signed one. */
const markedToken = /^[\w.~%+:*=-]{20,1000}$/;

/** A URL as a crawl asks for it, and the key under which it is the same page as others. */
export interface PageAddress {
  /** Without fragment, session ids and tracking parameters. */
  url: string;
  /** Equal for http and https, with and without the slash at the end, for parameters in any order, however escaped. */
  key: string;
  /** With its port. */
  host: string;
  origin: string;
  /** With its query. */
  path: string;
}

/** @param href as the URL standard writes it out: most links of a site come by here, and parsing each is slow. */
export function splitAddress(href: string): PageAddress | null {
  const schemeEnd = href.startsWith('http://') ? 7 : href.startsWith('https://') ? 8 : 0;
  if (schemeEnd === 0) return null;
  const fragment = href.indexOf('#');
  const text = fragment === -1 ? href : href.slice(0, fragment);
  const pathStart = text.indexOf('/', schemeEnd);
  if (pathStart === -1) return null;
  const origin = text.slice(0, pathStart);
  const host = text.slice(schemeEnd, pathStart);
  if (host.includes('@')) return null;
  const queryStart = text.indexOf('?', pathStart);
  let path = queryStart === -1 ? text.slice(pathStart) : text.slice(pathStart, queryStart);
  if (path.includes(';')) path = path.replaceAll(sessionInPath, withoutSession);
  const pairs = queryStart === -1 ? [] : keptPairs(text.slice(queryStart + 1));
  const query = pairs.length === 0 ? '' : `?${pairs.join('&')}`;
  let keyEnd = path.length;
  while (path[keyEnd - 1] === '/') keyEnd--;
  const keyPath = path.slice(0, keyEnd);
  const key = `${host}${plain(keyPath)}?${pairs.length < 2 ? plain(query.slice(1)) : pairs.map(plain).toSorted().join('&')}`;
  return { url: origin + path + query, key, host, origin, path: path + query };
}

function withoutSession(part: string, name: string, value: string): string {
  return name.toLowerCase() !== 'sid' || isSessionToken(value) ? '' : part;
}

function isSessionToken(value: string): boolean {
  if (plainToken.test(value) || uuid.test(value)) return true;
  // Words have numbers beside them, and days a letter between; letters and digits take turns in what is drawn by lot.
  const isDrawn = (run: string) =>
    run.length >= 10 && /\d[a-z]+\d/i.test(run) && run.replace(/\d+/g, '').length >= 4;
  return markedToken.test(value) && value.split(/%[\da-f]{2}|[^a-z\d]+/i).some(isDrawn);
}

function keptPairs(query: string): string[] {
  // ColdFusion's two come together; a `cfid` alone may be anything.
  const isColdFusion = /(?:^|&)cftoken=/i.test(query);
  return query.split('&').filter((pair) => {
    const equals = pair.indexOf('=');
    const name = equals === -1 ? pair : pair.slice(0, equals);
    if (pair === '' || isTrackingParameter(name) || sessionParameter.test(name)) return false;
    const isSession = mayBeSession.test(pair) && isSessionToken(pair.slice(equals + 1));
    return !isSession && !(isColdFusion && name.toLowerCase() === 'cfid');
  });
}

/** @returns null for what is no http(s) URL. */
export function toPageAddress(text: string): PageAddress | null {
  const url = URL.parse(text);
  return url === null ? null : splitAddress(url.href);
}

const sites = new Map<string, string>();
const rememberedSites = 10_000;

/**
 * What "the same domain" means: the registrable domain; for addresses and local names the host with its port.
 * @param host with its port.
 */
export function siteOfHost(host: string): string {
  let site = sites.get(host);
  if (site === undefined) {
    site = getDomain(host, { allowPrivateDomains: true }) ?? host;
    if (sites.size >= rememberedSites) sites.clear();
    sites.set(host, site);
  }
  return site;
}
