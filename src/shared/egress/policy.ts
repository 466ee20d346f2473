import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { canonicalAddress, isPublicAddress } from './address.ts';
import { type AllowList } from './allow-list.ts';
import { isDeniedName } from './denied-names.ts';
import { deniedPorts } from './denied-ports.ts';
import type { HostList } from './host-list.ts';

const interfacesMaxAgeMs = 10_000;

/** What may be asked for and what may be dialled. `host` is canonical: as `URL.hostname` spells it. */
export interface TargetPolicy {
  /** By text alone: before any name is resolved. */
  refusalOfHost(host: string, port: number): 'name' | 'address' | 'port' | 'host' | null;
  /** For an address that `host` resolved to. */
  refusalOfAddress(address: string, host: string, port: number): 'address' | 'port' | null;
  /** The operator listed this name: it may be one that only this machine or its network knows. */
  isListedName(host: string, port: number): boolean;
  /** The door's own listeners, which no entry of the allow list opens. */
  readonly ownPorts: Set<number>;
  /** This policy for one who may reach `hosts` only; of these the operator's `providers` are open, be they private. */
  boundTo(hosts: HostList, providers: HostList): TargetPolicy;
}

type OpensName = (host: string, port: number) => boolean;

/** @param ownAddresses further addresses of this machine, e.g. the public one that a router translates. */
export function createTargetPolicy(allow: AllowList, ownAddresses: readonly string[]): TargetPolicy {
  const given = ownAddresses.map(canonicalAddress);
  const ownPorts = new Set<number>();
  let own = new Set<string>();
  let ownReadAt = Number.NEGATIVE_INFINITY;

  function isOwn(address: string): boolean {
    if (performance.now() - ownReadAt > interfacesMaxAgeMs) {
      own = new Set([...given, ...interfaceAddresses()]);
      ownReadAt = performance.now();
    }
    return own.has(canonicalAddress(address));
  }

  function refusalOf(address: string, port: number, isListed: boolean): 'address' | 'port' | null {
    if (isIP(address) === 0 || address.includes('%')) return 'address';
    const isInside = !isPublicAddress(address) || isOwn(address);
    if (isInside && ownPorts.has(port)) return 'address';
    const isDeniedPort = deniedPorts.has(port);
    if (isListed || allow.opensAddress(address, port, isDeniedPort)) return null;
    if (isInside) return 'address';
    return isDeniedPort ? 'port' : null;
  }

  function policyOf(hosts: HostList | null, opensName: OpensName): TargetPolicy {
    return {
      ownPorts,
      isListedName: opensName,
      refusalOfAddress: (address, host, port) => refusalOf(address, port, opensName(host, port)),
      refusalOfHost(host, port) {
        if (hosts !== null && !hosts.has(host, port)) return 'host';
        const literal = literalAddress(host);
        if (literal !== null) return refusalOf(literal, port, opensName(host, port));
        if (opensName(host, port)) return null;
        if (isDeniedName(host)) return 'name';
        return deniedPorts.has(port) && !allow.namesPort(port) ? 'port' : null;
      },
      boundTo: (bound, providers) =>
        policyOf(bound, (host, port) => providers.has(host, port) || allow.opensName(host, port)),
    };
  }

  return policyOf(null, (host, port) => allow.opensName(host, port));
}

/** The address that a URL's host spells, brackets off; null for a name. */
export function literalAddress(host: string): string | null {
  const address = host.startsWith('[') ? host.slice(1, -1) : host;
  return isIP(address) === 0 ? null : address;
}

function interfaceAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .map(({ address }) => canonicalAddress(address.replace(/%.*$/, '')));
}
