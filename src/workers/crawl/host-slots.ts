import { setTimeout as sleep } from 'node:timers/promises';

/** Shares out the slots of a host between the crawls of all workers. */
export interface HostPresence {
  /**
   * Tells that this crawl is at the host, and asks for its share. Slots that it holds stay its own until it tells
   * that it uses less; so a newcomer may get one only at first, which it gets in any case.
   */
  enter(
    host: string,
    crawlId: string,
    asked: {
      /** That may be in use now. */
      usedSlots: number;
      /** Of the host, for all crawls together. */
      perHost: number;
      /** How long this crawl counts without being told again. */
      withinMs: number;
    },
  ): Promise<HostShare>;
  leave(host: string, crawlId: string): Promise<void>;
}

export interface HostShare {
  /** At the host now, this one counted. */
  crawls: number;
  /** Requests at a time that this crawl may make. */
  slots: number;
}

/** One crawl's slots at hosts: all crawls of all workers together stay within the bound of each host. */
export interface HostSlots extends AsyncDisposable {
  /**
   * Runs `ask` when a slot of the host is free.
   * @param delayMs between two requests to the host, as its robots.txt asks; 0 for none.
   * @param until ends the wait for it, besides the end of the crawl.
   */
  take<T>(host: string, delayMs: number, ask: () => Promise<T>, until?: AbortSignal): Promise<T>;
}

export interface HostSlotsOptions {
  presence: HostPresence;
  crawlId: string;
  /** Requests to one host at a time. */
  perHost: number;
  signal: AbortSignal;
}

interface Gate extends HostShare {
  active: number;
  nextAt: number;
  /** When a slot of this crawl last began or ended here. */
  usedAt: number;
  isRenewing: boolean;
  waiting: (() => void)[];
  /** Passes slots on that have ended. */
  passing: NodeJS.Immediate | null;
}

const renewEveryMs = 500;
const countsForMs = 7_000;
/** A crawl that is done with a host leaves it: a site may have thousands of them. */
const idleMs = 1_000;

export function createHostSlots({ presence, crawlId, perHost, signal }: HostSlotsOptions): HostSlots {
  const gates = new Map<string, Gate>();
  const opening = new Map<string, Promise<Gate>>();

  function passOn(gate: Gate): void {
    for (const wake of gate.waiting.splice(0, Math.max(0, gate.slots - gate.active))) wake();
  }
  async function renew(host: string, gate: Gate): Promise<void> {
    if (gate.isRenewing) return;
    gate.isRenewing = true;
    // Until the answer is here, slots may begin that the last one allowed.
    const usedSlots = Math.max(gate.slots, gate.active);
    const asked = { usedSlots, perHost, withinMs: countsForMs };
    // Where nobody can be asked the last answer holds.
    const share = await presence.enter(host, crawlId, asked).catch(() => gate);
    [gate.crawls, gate.slots] = [share.crawls, share.slots];
    gate.isRenewing = false;
    passOn(gate);
  }
  async function open(host: string): Promise<Gate> {
    const gate: Gate = {
      crawls: 1,
      slots: 1,
      active: 0,
      nextAt: 0,
      usedAt: performance.now(),
      isRenewing: false,
      waiting: [],
      passing: null,
    };
    await renew(host, gate);
    gates.set(host, gate);
    return gate;
  }
  function openOnce(host: string): Promise<Gate> {
    const known = opening.get(host) ?? open(host);
    opening.set(host, known);
    return known;
  }
  function isIdle({ active, waiting, isRenewing, nextAt, usedAt }: Gate): boolean {
    const isUsed = active > 0 || waiting.length > 0 || isRenewing;
    return !isUsed && performance.now() > Math.max(nextAt, usedAt + idleMs);
  }
  const leave = (host: string) => presence.leave(host, crawlId).catch(() => undefined);
  const timer = setInterval(() => {
    for (const [host, gate] of gates) {
      if (!isIdle(gate)) {
        void renew(host, gate);
        continue;
      }
      gates.delete(host);
      opening.delete(host);
      void leave(host);
    }
  }, renewEveryMs);
  const wakeAll = () => {
    for (const gate of gates.values()) for (const wake of gate.waiting.splice(0)) wake();
  };
  signal.addEventListener('abort', wakeAll, { once: true });

  async function enter(host: string, ends: AbortSignal): Promise<Gate> {
    const gate = gates.get(host) ?? (await openOnce(host));
    // Woken together, all but those whose time is over go back to their places.
    const wake = () => void gate.waiting.splice(0).forEach((one) => one());
    if (ends !== signal) ends.addEventListener('abort', wake, { once: true });
    while (gate.active >= gate.slots && !ends.aborted) {
      await new Promise<void>((resolve) => gate.waiting.push(resolve));
    }
    ends.removeEventListener('abort', wake);
    ends.throwIfAborted();
    gate.active++;
    gate.usedAt = performance.now();
    return gate;
  }

  return {
    async take(host, delayMs, ask, until) {
      const ends = until === undefined ? signal : AbortSignal.any([signal, until]);
      const gate = await enter(host, ends);
      try {
        if (delayMs > 0) {
          // Nobody has a time of its own: who gives up waiting holds up none behind it.
          for (let waitMs; (waitMs = gate.nextAt - performance.now()) > 0;)
            await sleep(waitMs, undefined, { signal: ends });
          gate.nextAt = performance.now() + delayMs * gate.crawls;
        }
        const startedAt = performance.now();
        const answer = await ask();
        // More crawls than slots: each rests in proportion, so that together they keep to the bound.
        const rest = (performance.now() - startedAt) * Math.max(0, gate.crawls / perHost - 1);
        if (rest > 0) await sleep(rest, undefined, { signal });
        return answer;
      } finally {
        gate.active--;
        gate.usedAt = performance.now();
        // Slots that are free together are passed on together: a host that is busy takes the next request for less.
        gate.passing ??= setImmediate(() => {
          gate.passing = null;
          passOn(gate);
        });
      }
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      signal.removeEventListener('abort', wakeAll);
      await Promise.all([...gates.keys()].map(leave));
    },
  };
}
