import { isIP } from 'node:net';
import { splitPort, withoutDot } from './allow-list.ts';

/** Hosts by name or address, each with its port. */
export interface HostList {
  /** `host` is canonical: as `URL.hostname` spells it. */
  has(host: string, port: number): boolean;
}

const usualPorts = [80, 443];

/**
 * Reads `host[:port]`, as `URL.host` spells it: `api.example.com`, `minio:9000`, `[fd00::1]:8080`. Without a port both
 * the usual ones are meant, 80 and 443.
 * @throws Error that names the first bad entry.
 */
export function parseHostList(entries: readonly string[]): HostList {
  const known = new Set<string>();
  for (const entry of entries) {
    const { host, port } = splitPort(entry);
    const url = URL.parse(`http://${isIP(host) === 6 ? `[${host}]` : host}/`);
    if (url === null || url.href !== `http://${url.hostname}/`) {
      throw new Error(`"${entry}" is no host. Write it as in a URL: name, name:port, address:port.`);
    }
    for (const each of port === null ? usualPorts : [port]) known.add(`${withoutDot(url.hostname)}:${each}`);
  }
  return { has: (host, port) => known.has(`${withoutDot(host)}:${port}`) };
}
