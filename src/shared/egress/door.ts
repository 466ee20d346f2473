import { noTracing, type Tracing } from '../tracing/tracing.ts';
import { parseAllowList } from './allow-list.ts';
import type { OpenTcp } from './connect-first.ts';
import { createDial } from './dialer.ts';
import { parseHostList } from './host-list.ts';
import { Lease } from './lease.ts';
import { createTargetPolicy } from './policy.ts';
import { startProxy } from './proxy.ts';
import { createNameLookup, type Resolve } from './resolver.ts';
import { checkTargetText } from './target-url.ts';
import type { EgressDoor, EgressLease } from './types.ts';
import { parseUpstreamProxies } from './upstream-proxies.ts';

export interface EgressDoorOptions {
  /** The entries of `EGRESS_ALLOW`: `10.0.0.0/8`, `10.0.0.0/8:8080`, `[fd00::/8]:8080`, `minio:9000`. */
  allow: readonly string[];
  /** Hosts that the operator's configuration names, `host[:port]`: only leases bound to them reach them where private. */
  providers?: readonly string[];
  /** The entries of `EGRESS_PROXY`: `*=http://user:password@proxy:3128`, `*.example.com=direct`. Default: all goes directly. */
  proxies?: readonly string[];
  /** Asked instead of the machine's name servers. */
  resolve?: Resolve;
  /** Addresses of this machine that its interfaces do not show, e.g. a public one behind a router. */
  ownAddresses?: readonly string[];
  /** Connects to the checked address; a test without a network puts its own here. */
  openTcp?: OpenTcp;
  /** Told of each lease that has ended. */
  onLeaseEnd?: (lease: Pick<EgressLease, 'outcomes'>) => void;
  /** Connections become steps of the traces that are under way. */
  tracing?: Tracing;
  /** Time for the headers of a request to a lease's proxy. Default 10,000. */
  proxyHeadersTimeoutMs?: number;
}

/** The one door out. Disposing it ends all its leases. @throws Error that names a bad entry of `allow` or `proxies`. */
export function createEgressDoor(options: EgressDoorOptions): EgressDoor {
  const policy = createTargetPolicy(parseAllowList(options.allow), options.ownAddresses ?? []);
  const providers = parseHostList(options.providers ?? []);
  const names = createNameLookup(options.resolve);
  const proxies = parseUpstreamProxies(options.proxies ?? []);
  const way = { names, proxies, open: options.openTcp };
  const dial = createDial({ ...way, policy });
  const leases = new Set<Lease>();
  const { proxyHeadersTimeoutMs, tracing = noTracing } = options;
  function bindTo(hosts: readonly string[]) {
    const bound = policy.boundTo(parseHostList(hosts), providers);
    return { policy: bound, dial: createDial({ ...way, policy: bound }) };
  }
  return {
    check(url) {
      const checked = checkTargetText(url, policy);
      if (checked.error) throw checked.error;
      return checked.url;
    },
    openLease(leaseOptions = {}) {
      const onEnd = (ended: Lease): void => {
        leases.delete(ended);
        options.onLeaseEnd?.(ended);
      };
      const out = leaseOptions.hosts === undefined ? { policy, dial } : bindTo(leaseOptions.hosts);
      const lease = new Lease({ ...out, proxies, tracing, proxyHeadersTimeoutMs, onEnd }, leaseOptions);
      leases.add(lease);
      return lease;
    },
    openProxy: () => startProxy({ policy, headersTimeoutMs: proxyHeadersTimeoutMs }),
    async [Symbol.asyncDispose]() {
      await Promise.all([...leases].map((lease) => lease[Symbol.asyncDispose]()));
    },
  };
}
