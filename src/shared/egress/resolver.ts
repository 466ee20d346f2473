import { lookup, Resolver } from 'node:dns/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { EgressError } from './egress-error.ts';

/**
 * Resolves a name to IPv4 and IPv6 addresses, aliases followed.
 * @throws any Error when the name has no address.
 */
export type Resolve = (host: string, signal: AbortSignal) => Promise<string[]>;

const lookupTimeoutMs = 5_000;
// A name server that is slow on AAAA only must not slow a page that A can serve (RFC 8305, section 3).
const secondFamilyDelayMs = 200;
const answerMaxAgeMs = 10_000;
const maxAnswers = 5_000;

export interface NameLookup {
  /**
   * Every address of the name. Answers live for 10 s and simultaneous questions share one query.
   * @param isListed the operator listed the name: the hosts file and search domains count too.
   * @throws EgressError `target_dns_failed`, at the latest after 5 s.
   */
  lookup(host: string, isListed: boolean): Promise<string[]>;
}

export function createNameLookup(injected?: Resolve): NameLookup {
  const resolvePublic = injected ?? createDnsResolve();
  const resolveListed = injected ?? resolveBySystem;
  const answers = new Map<string, { addresses: Promise<string[]>; askedAt: number }>();

  return {
    lookup(host, isListed) {
      const key = isListed ? `listed ${host}` : host;
      const known = answers.get(key);
      if (known && performance.now() - known.askedAt < answerMaxAgeMs) return known.addresses;
      if (answers.size >= maxAnswers) answers.clear();
      const answer = {
        addresses: ask(isListed ? resolveListed : resolvePublic, host),
        askedAt: performance.now(),
      };
      answers.set(key, answer);
      answer.addresses.catch(() => {
        if (answers.get(key) === answer) answers.delete(key);
      });
      return answer.addresses;
    },
  };
}

async function ask(resolve: Resolve, host: string): Promise<string[]> {
  const stop = new AbortController();
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error('no answer in time')), lookupTimeoutMs);
  try {
    const addresses = await Promise.race([resolve(host, stop.signal), late.promise]);
    if (addresses.length === 0) throw new Error('no addresses');
    return addresses;
  } catch (cause) {
    throw new EgressError('target_dns_failed', describeFailure(host, cause), 'dns', 'dns', { cause });
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
}

function describeFailure(host: string, cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : null;
  if (code === 'ENOTFOUND' || code === 'ENODATA' || code === 'EAI_NONAME') {
    return `The name ${host} does not exist or has no address. Check its spelling.`;
  }
  return `The name ${host} could not be resolved: its name servers gave no usable answer within ${lookupTimeoutMs / 1000} s. Try again later.`;
}

/**
 * Asks the name servers directly: `dns.lookup` shares four threads, where a few hanging names block all others.
 * @param servers `address:port` of name servers; the machine's own by default.
 */
export function createDnsResolve(servers?: readonly string[]): Resolve {
  return async (host, signal) => {
    // One of its own per name (30 µs), so that a question which nobody waits for can be dropped.
    const resolver = new Resolver({ timeout: 1_500, tries: 2 });
    if (servers) resolver.setServers(servers);
    signal.addEventListener('abort', () => resolver.cancel(), { once: true });
    const v4 = resolver.resolve4(host);
    const v6 = resolver.resolve6(host);
    // It may fail before anyone waits for it.
    v6.catch(() => undefined);
    const second = v4.then(
      () => Promise.race([v6, delay(secondFamilyDelayMs, [], { signal })]),
      () => v6,
    );
    const [first, other] = await Promise.allSettled([v4, second]);
    if (first.status === 'rejected' && other.status === 'rejected') throw first.reason;
    return [first, other].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  };
}

const resolveBySystem: Resolve = async (host) => {
  const answers = await lookup(host, { all: true, verbatim: false });
  return answers.map(({ address }) => address);
};
