import { setTimeout as sleep } from 'node:timers/promises';

/** Tells how many crawls are at a host now, in all workers together, this one counted. */
export interface HostPresence {
  /** @param withinMs how long this crawl counts without being told again. */
  enter(host: string, crawlId: string, withinMs: number): Promise<number>;
  leave(host: string, crawlId: string): Promise<void>;
}

/** One crawl's turns at hosts: all crawls of all workers together stay within the bound of each host. */
export interface HostTurns extends AsyncDisposable {
  /**
   * Runs `ask` when the host has room for it.
   * @param delayMs between two requests to the host, as its robots.txt asks; 0 for none.
   */
  take<T>(host: string, delayMs: number, ask: () => Promise<T>): Promise<T>;
}

export interface HostTurnsOptions {
  presence: HostPresence;
  crawlId: string;
  /** Requests to one host at a time. */
  perHost: number;
  signal: AbortSignal;
}

interface Gate {
  /** Crawls at this host. */
  crawls: number;
  active: number;
  nextAt: number;
  /** Before this time one request at a time is enough. */
  modestUntil: number;
  waiting: (() => void)[];
  /** Passes turns on that have ended. */
  passing: NodeJS.Immediate | null;
}

const renewEveryMs = 500;
/** Until the crawls that were there first have heard of a newcomer. */
const modestForMs = 700;
const countsForMs = 7_000;

export function createHostTurns({ presence, crawlId, perHost, signal }: HostTurnsOptions): HostTurns {
  const gates = new Map<string, Gate>();
  const opening = new Map<string, Promise<Gate>>();
  const shareOf = ({ crawls, modestUntil }: Gate) =>
    modestUntil > Date.now() ? 1 : Math.max(1, Math.floor(perHost / crawls));

  function passOn(gate: Gate): void {
    for (const wake of gate.waiting.splice(0, Math.max(0, shareOf(gate) - gate.active))) wake();
  }
  async function renew(host: string, gate: Gate): Promise<void> {
    // Where nobody can be asked the last answer holds.
    gate.crawls = await presence.enter(host, crawlId, countsForMs).catch(() => gate.crawls);
    passOn(gate);
  }
  async function open(host: string): Promise<Gate> {
    const gate: Gate = { crawls: 1, active: 0, nextAt: 0, modestUntil: 0, waiting: [], passing: null };
    await renew(host, gate);
    if (gate.crawls > 1) gate.modestUntil = Date.now() + modestForMs;
    gates.set(host, gate);
    return gate;
  }
  function openOnce(host: string): Promise<Gate> {
    const known = opening.get(host) ?? open(host);
    opening.set(host, known);
    return known;
  }
  const timer = setInterval(() => {
    for (const [host, gate] of gates) void renew(host, gate);
  }, renewEveryMs);
  const wakeAll = () => {
    for (const gate of gates.values()) for (const wake of gate.waiting.splice(0)) wake();
  };
  signal.addEventListener('abort', wakeAll, { once: true });

  async function enter(host: string): Promise<Gate> {
    const gate = gates.get(host) ?? (await openOnce(host));
    while (gate.active >= shareOf(gate) && !signal.aborted) {
      await new Promise<void>((resolve) => gate.waiting.push(resolve));
    }
    signal.throwIfAborted();
    gate.active++;
    return gate;
  }

  return {
    async take(host, delayMs, ask) {
      const gate = await enter(host);
      try {
        if (delayMs > 0) {
          const at = Math.max(Date.now(), gate.nextAt);
          gate.nextAt = at + delayMs * gate.crawls;
          await sleep(at - Date.now(), undefined, { signal });
        }
        const startedAt = Date.now();
        const answer = await ask();
        // More crawls than turns: each rests in proportion, so that together they keep to the bound.
        const rest = (Date.now() - startedAt) * Math.max(0, gate.crawls / perHost - 1);
        if (rest > 0) await sleep(rest, undefined, { signal });
        return answer;
      } finally {
        gate.active--;
        // Turns that end together are passed on together: a host that is busy takes the next request for less.
        gate.passing ??= setImmediate(() => {
          gate.passing = null;
          passOn(gate);
        });
      }
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      signal.removeEventListener('abort', wakeAll);
      await Promise.all(
        [...gates.keys()].map((host) => presence.leave(host, crawlId).catch(() => undefined)),
      );
    },
  };
}
