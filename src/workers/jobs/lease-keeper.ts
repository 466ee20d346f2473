import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Db } from '../../shared/db/client.ts';
import { type Lease, renewLeases } from '../../shared/jobs/transitions/lease.ts';
import { LeaseLost } from './composition.ts';

/** Renews the leases of all jobs that run in this process, and aborts those that are no longer its own. */
export interface LeaseKeeper extends AsyncDisposable {
  hold(lease: Lease, abort: (reason: Error) => void): void;
  release(lease: Lease): void;
  /** Aborts the job if it runs here. */
  lose(id: string): void;
}

/** Soon: where a connection was silent for a while, most of the lease is over. */
const askAgainMs = 250;

/**
 * A lease that ran out while Postgres was away is not lost yet: its run goes on, and whether it still counts is told
 * by the first answer. @param db answers, or fails, well within a lease.
 */
export function createLeaseKeeper(db: Db, log: Logger, leaseMs: number): LeaseKeeper {
  const held = new Map<string, { lease: Lease; abort: (reason: Error) => void }>();
  const lose = (id: string) => {
    const entry = held.get(id);
    held.delete(id);
    entry?.abort(new LeaseLost());
  };

  async function renew(): Promise<void> {
    const asked = [...held.values()].map((entry) => entry.lease);
    const own = await renewLeases(db, asked, leaseMs);
    for (const { id, token } of asked) if (!own.has(id) && held.get(id)?.lease.token === token) lose(id);
  }

  const stop = new AbortController();
  let renewing = false;
  async function untilRenewed(): Promise<void> {
    renewing = true;
    while (held.size > 0 && !stop.signal.aborted) {
      try {
        await renew();
        break;
      } catch (error) {
        log.warn({ err: error }, 'leases could not be renewed; it is tried again');
        await sleep(askAgainMs);
      }
    }
    renewing = false;
  }
  const timer = setInterval(() => {
    if (!renewing) void untilRenewed();
  }, leaseMs / 3);

  return {
    lose,
    hold(lease, abort) {
      held.set(lease.id, { lease, abort });
    },
    release(lease) {
      if (held.get(lease.id)?.lease.token === lease.token) held.delete(lease.id);
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      stop.abort();
    },
  };
}
