import type { Logger } from 'pino';
import type { Db } from '../shared/db/client.ts';
import { type Lease, renewLeases } from '../shared/db/job-leases.ts';
import { LeaseLost } from './composition.ts';

/** Renews the leases of all jobs that run in this process, and aborts those that are no longer its own. */
export interface LeaseKeeper extends AsyncDisposable {
  hold(lease: Lease, abort: (reason: Error) => void): void;
  release(lease: Lease): void;
  /** Aborts the job if it runs here. */
  lose(id: string): void;
}

export function createLeaseKeeper(db: Db, log: Logger, leaseMs: number): LeaseKeeper {
  const held = new Map<string, { lease: Lease; abort: (reason: Error) => void }>();
  const lose = (id: string) => {
    const entry = held.get(id);
    held.delete(id);
    entry?.abort(new LeaseLost());
  };

  let renewing = false;
  const timer = setInterval(() => {
    if (renewing || held.size === 0) return;
    renewing = true;
    const asked = [...held.values()].map((entry) => entry.lease);
    renewLeases(db, asked, leaseMs)
      .then((own) => {
        for (const { id, token } of asked) if (!own.has(id) && held.get(id)?.lease.token === token) lose(id);
      })
      .catch((error: unknown) => log.warn({ err: error }, 'leases could not be renewed; it is tried again'))
      .finally(() => {
        renewing = false;
      });
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
    },
  };
}
