import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number];

// What ipaddr.js calls unicast although no public web server lives there.
const closedV4: Range[] = [
  '168.63.129.16/32', // Azure's host agent: metadata and DHCP on a public-looking address
  '192.0.0.0/24', // IETF protocol assignments; Oracle Cloud's classic metadata is 192.0.0.192
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // 6to4 relays
  '192.175.48.0/24', // AS112
].map((cidr) => ipaddr.parseCIDR(cidr));

// Only 2000::/3 is given out as global unicast. All that embeds an IPv4 address elsewhere (mapped, SIIT, NAT64,
// IPv4-compatible) and all local blocks lie outside it, so they need no entry here.
const globalV6: Range = ipaddr.parseCIDR('2000::/3');
const closedV6: Range[] = [
  '2001::/23', // IETF protocol assignments: Teredo, benchmarking, AMT, AS112, ORCHID
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4: embeds an IPv4 address
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
].map((cidr) => ipaddr.parseCIDR(cidr));

/**
 * Whether `address` (IPv4 dotted quad or IPv6, no brackets, no zone) is one of the public Internet.
 * Anything that is not such an address is not public.
 * Source: the IANA special-purpose address registries (RFC 6890 and its successors).
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0 || address.includes('%')) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.kind() === 'ipv4') {
    return parsed.range() === 'unicast' && !closedV4.some((range) => parsed.match(range));
  }
  return parsed.match(globalV6) && !closedV6.some((range) => parsed.match(range));
}

/** The one spelling of an address, for comparing: `::FFFF:0:1` and `::ffff:0.0.0.1` are the same. */
export function canonicalAddress(address: string): string {
  return ipaddr.parse(address).toString();
}
