import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The addresses of one CIDR block. */
export interface AddressRange {
  /** False for a text that is no address. An IPv4 address counts as itself when it is written IPv4-mapped. */
  contains(address: string): boolean;
}

/** `10.0.0.0/8`, `fd00::/8`, or one address; `::ffff:10.0.0.0/104` is the first of them. @returns null where the text is neither. */
export function parseAddressRange(text: string): AddressRange | null {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || address.includes('%') || rest.length > 0) return null;
  const longest = family === 4 ? 32 : 128;
  if (bits !== undefined && (!/^\d{1,3}$/.test(bits) || Number(bits) > longest)) return null;
  const parsedBits = Number(bits ?? longest);
  const network = ipaddr.process(address);
  // Written IPv4-mapped, it has 96 bits in front.
  const length = family === 6 && network.kind() === 'ipv4' ? parsedBits - 96 : parsedBits;
  if (length < 0) return null;
  return {
    contains(other) {
      if (isIP(other) === 0) return false;
      const parsed = ipaddr.process(other);
      return parsed.kind() === network.kind() && parsed.match(network, length);
    },
  };
}
