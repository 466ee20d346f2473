import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** What the operator opened by `EGRESS_ALLOW`; empty by default. */
export interface AllowList {
  /** The name may be asked for on this port, whatever it resolves to. */
  opensName(host: string, port: number): boolean;
  /** The address may be dialled on this port. `portIsDenied`: only an entry that names the port counts. */
  opensAddress(address: string, port: number, portIsDenied: boolean): boolean;
  /** Some entry opens this port for some address, so that only the address can decide. */
  namesPort(port: number): boolean;
}

interface AddressEntry {
  range: Range;
  port: number | null;
}

/**
 * Reads the entries of `EGRESS_ALLOW`:
 * - `10.0.0.0/8`, `10.1.2.3`, `fd00::/8`: the addresses, on every port that is not on the list of denied ports;
 * - `10.0.0.0/8:8080`, `127.0.0.1:5432`, `[fd00::/8]:8080`: the addresses on just that port, denied or not;
 * - `minio:9000`, `localhost:8080`: the name on just that port, whatever it resolves to.
 *
 * @throws Error that names the first bad entry.
 */
export function parseAllowList(entries: readonly string[]): AllowList {
  const names = new Set<string>();
  const addresses: AddressEntry[] = [];
  for (const raw of entries) {
    const entry = raw.trim();
    if (entry === '') continue;
    const { host, port } = splitPort(entry);
    const range = parseRange(host);
    if (range) addresses.push({ range, port });
    else names.add(parseName(entry, host, port));
  }
  return {
    opensName: (host, port) => names.has(`${withoutDot(host)}:${port}`),
    opensAddress(address, port, portIsDenied) {
      if (isIP(address) === 0) return false;
      const parsed = ipaddr.parse(address);
      return addresses.some(
        ({ range, port: only }) =>
          (only === null ? !portIsDenied : only === port) &&
          range[0].kind() === parsed.kind() &&
          parsed.match(range),
      );
    },
    namesPort: (port) => addresses.some((entry) => entry.port === port),
  };
}

/** Brackets of an IPv6 address off. @throws Error for a port that is none. */
export function splitPort(entry: string): { host: string; port: number | null } {
  const bracketed = /^\[([^\]]+)\](?::(\d+))?$/.exec(entry);
  const plain = /^([^:]+):(\d+)$/.exec(entry);
  const host = bracketed?.[1] ?? plain?.[1] ?? entry;
  const digits = bracketed?.[2] ?? plain?.[2];
  if (digits === undefined) return { host, port: null };
  const port = Number(digits);
  if (port < 1 || port > 65_535) throw badEntry(entry, 'its port is not between 1 and 65535');
  return { host, port };
}

function parseRange(host: string): Range | null {
  const [address = '', bits] = host.split('/');
  if (isIP(address) === 0 || address.includes('%')) return null;
  if (bits === undefined) return ipaddr.parseCIDR(`${address}/${isIP(address) === 4 ? 32 : 128}`);
  if (!/^\d{1,3}$/.test(bits) || Number(bits) > (isIP(address) === 4 ? 32 : 128)) return null;
  return ipaddr.parseCIDR(host);
}

function parseName(entry: string, host: string, port: number | null): string {
  if (/[\s/@:?#\\[\]%*]/.test(host) || !URL.canParse(`http://${host}/`)) {
    throw badEntry(entry, 'it is neither an address range nor a name');
  }
  const name = new URL(`http://${host}/`).hostname;
  if (isIP(name) !== 0) throw badEntry(entry, 'write the address in its usual form');
  if (port === null) throw badEntry(entry, 'a name needs a port');
  return `${withoutDot(name)}:${port}`;
}

export function withoutDot(host: string): string {
  return host.endsWith('.') ? host.slice(0, -1) : host;
}

function badEntry(entry: string, why: string): Error {
  return new Error(
    `EGRESS_ALLOW: "${entry}" cannot be used, because ${why}. ` +
      'Write 10.0.0.0/8, 10.0.0.0/8:8080, [fd00::/8]:8080 or name:8080.',
  );
}
