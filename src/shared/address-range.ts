import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The addresses of one CIDR block. */
export interface AddressRange {
  /** False for a text that is no address. An IPv4 address counts as itself when it is written IPv4-mapped. */
  contains(address: string): boolean;
}

/** `10.0.0.0/8`, `fd00::/8`, or one address. @returns null where the text is neither. */
export function parseAddressRange(text: string): AddressRange | null {
  const [address = '', bits] = text.split('/');
  const family = isIP(address);
  if (family === 0 || address.includes('%')) return null;
  const longest = family === 4 ? 32 : 128;
  if (bits !== undefined && (!/^\d{1,3}$/.test(bits) || Number(bits) > longest)) return null;
  const [network, length] = ipaddr.parseCIDR(`${address}/${bits ?? longest}`);
  return {
    contains(other) {
      if (isIP(other) === 0) return false;
      const parsed = ipaddr.process(other);
      return parsed.kind() === network.kind() && parsed.match(network, length);
    },
  };
}
