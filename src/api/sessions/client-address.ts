import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { parseAddressRange } from '../../shared/address-range.ts';

export type FindClientAddress = (socketAddress: string, forwardedFor: string) => string;

/** IPv4 as it is, which has one form only; IPv6 in one of its many, and IPv4 within it as such. */
const plain = (address: string) =>
  isIPv4(address) || isIP(address) === 0 ? address : ipaddr.process(address).toString();

/** Without the port that some proxies write: `203.0.113.7:5678`, `[2001:db8::7]:443`. */
const withoutPort = (hop: string) =>
  /^\[([^\]]*)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop;

/**
 * The address that a request truly comes from. `X-Forwarded-For` counts only as far as trusted proxies have
 * written it: it is read from its end, and the first address that is no trusted proxy is the client. What stands
 * before that is the client's own word and changes nothing.
 */
export function createFindClientAddress(trustedProxies: readonly string[]): FindClientAddress {
  const ranges = trustedProxies.flatMap((entry) => parseAddressRange(entry) ?? []);
  const isTrusted = (address: string) => ranges.some((range) => range.contains(address));

  return (socketAddress, forwardedFor) => {
    let client = plain(socketAddress);
    const hops = forwardedFor.split(',').map((hop) => withoutPort(hop.trim()));
    while (isTrusted(client)) {
      const hop = hops.pop();
      // Nothing more was written, or something that is no address: the last proxy that we know of answers for it.
      if (hop === undefined || isIP(hop) === 0) break;
      client = plain(hop);
    }
    return client;
  };
}

/** A household or server gets a whole /64 of IPv6 addresses. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/64`).toString()}/64`;
}
