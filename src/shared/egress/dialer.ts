import type { Socket } from 'node:net';
import { connectToFirst, interleave, openTcp, type OpenTcp } from './connect-first.ts';
import { EgressError, notAllowed, proxyError, tellReached } from './egress-error.ts';
import { literalAddress, type TargetPolicy } from './policy.ts';
import type { NameLookup } from './resolver.ts';
import { askProxy } from './through-proxy.ts';
import type { UpstreamProxies, UpstreamProxy } from './upstream-proxies.ts';

export interface DialledSocket {
  socket: Socket;
  dnsMs: number;
  connectMs: number;
}

/**
 * Resolves `host` once, refuses it unless every address is allowed, and connects to one of those very addresses: itself,
 * or by the proxy that the operator has set for the host, never in the place of that.
 * @param host canonical, as `URL.hostname` spells it.
 * @throws EgressError; or the signal's reason.
 */
export type Dial = (host: string, port: number, signal: AbortSignal) => Promise<DialledSocket>;

export interface DialParts {
  policy: TargetPolicy;
  names: NameLookup;
  proxies: UpstreamProxies;
  open?: OpenTcp | undefined;
}

export function createDial({ policy, names, proxies, open = openTcp }: DialParts): Dial {
  /** @returns none where the name has no address here, and the proxy may know one. */
  async function findAddresses(host: string, port: number, proxy: UpstreamProxy | null, signal: AbortSignal) {
    const literal = literalAddress(host);
    if (literal !== null) return [literal];
    const asked = names.lookup(host, policy.isListedName(host, port));
    return await orAborted(asked, signal).catch((error: unknown) => {
      if (proxy !== null && error instanceof EgressError && error.result === 'dns') return [];
      throw error;
    });
  }

  async function reachProxy({ host, port, ...proxy }: UpstreamProxy, signal: AbortSignal): Promise<Socket> {
    const at = literalAddress(host);
    try {
      // The operator's own: it may be private, and known by the hosts file alone.
      const addresses = at === null ? await orAborted(names.lookup(host, true), signal) : [at];
      return await connectToFirst(addresses, { host, port, signal, open });
    } catch (cause) {
      if (!(cause instanceof EgressError)) throw cause;
      throw proxyError(proxy, 'could not be reached', cause);
    }
  }

  return async (host, port, signal) => {
    const startedAt = performance.now();
    const refused = policy.refusalOfHost(host, port);
    if (refused) throw notAllowed(refused);
    const proxy = proxies.find(host, port);
    const addresses = await findAddresses(host, port, proxy, signal);
    for (const address of addresses) {
      const reason = policy.refusalOfAddress(address, host, port);
      if (reason) throw notAllowed(reason);
    }
    const resolvedAt = performance.now();
    const dnsMs = resolvedAt - startedAt;
    try {
      // The address that was checked, not the name: to that the proxy could find another one.
      const target = { host: interleave(addresses)[0] ?? host, port };
      const socket =
        proxy === null
          ? await connectToFirst(addresses, { host, port, signal, open })
          : await askProxy(await reachProxy(proxy, signal), proxy, target, signal);
      return { socket, dnsMs, connectMs: performance.now() - resolvedAt };
    } catch (error) {
      tellReached(error, { dnsMs, connectMs: null, tlsMs: null });
      throw error;
    }
  };
}

/** The answer is shared with others, so that only this one stops waiting. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
