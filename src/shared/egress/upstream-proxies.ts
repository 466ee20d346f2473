import { isIP } from 'node:net';
import { splitPort, withoutDot } from './allow-list.ts';

const defaultPorts = { 'http:': 80, 'https:': 443, 'socks5:': 1080 } as const;

/** A proxy of the operator's, through which connections leave. */
export interface UpstreamProxy {
  protocol: keyof typeof defaultPorts;
  /** A name or an address, brackets off. */
  host: string;
  port: number;
  credentials: { username: string; password: string } | null;
  /** As it may be told: `http://proxy:3128`, without its credentials. */
  name: string;
}

/** Which way the connections to a host take. */
export interface UpstreamProxies {
  /** @param host canonical, as `URL.hostname` spells it. @returns null for the direct way. */
  find(host: string, port: number): UpstreamProxy | null;
}

/**
 * Reads the entries of `EGRESS_PROXY`, each `hosts=way`. Hosts are `*`, `*.example.com` (the names below it),
 * `example.com`, an address, or one of the last two with a port; the most exact entry counts. The way is `direct` or the URL
 * of a proxy: `http://`, `https://` or `socks5://`, with `user:password@` where it asks for them.
 *
 * @throws Error that names the first bad entry, without its credentials.
 */
export function parseUpstreamProxies(entries: readonly string[]): UpstreamProxies {
  const ways = new Map<string, UpstreamProxy | null>();
  for (const entry of entries) {
    const at = entry.indexOf('=');
    if (at === -1) throw badEntry(entry, 'it has no "="');
    const hosts = readHosts(entry, entry.slice(0, at).trim());
    if (ways.has(hosts)) throw badEntry(entry, 'another entry is for the same hosts');
    const way = entry.slice(at + 1).trim();
    ways.set(hosts, way === 'direct' ? null : readProxy(entry, way));
  }
  return {
    find(spelled, port) {
      const host = withoutDot(spelled);
      const keys = [`${host}:${port}`, host, ...(isIP(unbracketed(host)) === 0 ? suffixesOf(host) : []), '*'];
      const key = keys.find((each) => ways.has(each));
      return key === undefined ? null : (ways.get(key) ?? null);
    },
  };
}

/** `*.b.example.com`, `*.example.com`, `*.com` for `a.b.example.com`. */
function suffixesOf(host: string): string[] {
  const labels = host.split('.');
  return labels.slice(1).map((_label, index) => `*.${labels.slice(index + 1).join('.')}`);
}

function readHosts(entry: string, text: string): string {
  if (text === '*') return text;
  const isSuffix = text.startsWith('*.');
  const { host, port } = splitPort(isSuffix ? text.slice(2) : text);
  const name = URL.parse(`http://${isIP(host) === 6 ? `[${host}]` : host}/`);
  if (name === null || name.href !== `http://${name.hostname}/` || host.includes('*'))
    throw badEntry(entry, 'what stands before "=" is no host');
  if (!isSuffix) return withoutDot(name.hostname) + (port === null ? '' : `:${port}`);
  if (port !== null || isIP(host) !== 0) throw badEntry(entry, 'after "*." only a name can stand');
  return `*.${withoutDot(name.hostname)}`;
}

function readProxy(entry: string, text: string): UpstreamProxy {
  const url = URL.parse(text);
  if (url === null) throw badEntry(entry, 'what stands after "=" is neither a URL nor "direct"');
  const { protocol, username, password } = url;
  if (!isKnown(protocol)) throw badEntry(entry, `proxies of the kind ${protocol}// are not known`);
  if (url.hostname === '') throw badEntry(entry, 'the URL of the proxy has no host');
  if (!['', '/'].includes(url.pathname) || url.search !== '' || url.hash !== '')
    throw badEntry(entry, 'the URL of a proxy ends after its port');
  const port = url.port === '' ? defaultPorts[protocol] : Number(url.port);
  return {
    protocol,
    host: unbracketed(url.hostname),
    port,
    credentials: username === '' ? null : readCredentials(entry, username, password),
    name: `${protocol}//${url.hostname}:${port}`,
  };
}

function isKnown(protocol: string): protocol is keyof typeof defaultPorts {
  return protocol in defaultPorts;
}

function readCredentials(entry: string, username: string, password: string) {
  const credentials = { username: decode(entry, username), password: decode(entry, password) };
  // Both protocols carry them in a byte of length (RFC 1929), and HTTP's has a colon between them (RFC 7617).
  if (Object.values(credentials).some((text) => Buffer.byteLength(text) > 255))
    throw badEntry(entry, 'user name and password may have 255 bytes each');
  if (credentials.username.includes(':')) throw badEntry(entry, 'a user name cannot have a colon');
  return credentials;
}

function decode(entry: string, text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw badEntry(entry, 'user name or password has a "%" that begins no escape; write it as %25');
  }
}

function unbracketed(host: string): string {
  return host.startsWith('[') ? host.slice(1, -1) : host;
}

function badEntry(entry: string, why: string): Error {
  // Up to the last "@", because a password may hold one by mistake.
  const shown = entry.replace(/(:\/\/|=).*@/, '$1…@');
  return new Error(
    `has the entry "${shown}", which cannot be used, because ${why}. Write hosts=proxy entries separated by commas, e.g. ` +
      '*=http://user:password@proxy:3128, *.example.com=socks5://proxy:1080, intranet.example=direct; ' +
      'in a password write , as %2C and @ as %40.',
  );
}
