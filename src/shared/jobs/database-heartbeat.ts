import { sql } from 'kysely';
import type { Db } from '../db/client.ts';

/**
 * Whether Postgres has answered long enough without a gap for every living worker to have renewed its leases.
 * After a gap (Postgres hung, the machine slept) those of living workers have run out too.
 */
export interface DatabaseHeartbeat extends Disposable {
  isSteady(): boolean;
}

const select1 = sql`select 1`;

export function startDatabaseHeartbeat(db: Db, leaseMs: number): DatabaseHeartbeat {
  // Renewed each third of its time, a lease outlives any shorter gap; and a renewal is done this long after one.
  const gapMs = leaseMs / 2;
  let answeredAt = Date.now();
  let steadyFrom = answeredAt + gapMs;
  // The clock on the wall, as leases have it: another one may stand still while the machine sleeps.
  const hasGap = () => Math.abs(Date.now() - answeredAt) > gapMs;

  let asking = false;
  const timer = setInterval(() => {
    if (asking) return;
    asking = true;
    select1
      .execute(db)
      .then(() => {
        if (hasGap()) steadyFrom = Date.now() + gapMs;
        answeredAt = Date.now();
      })
      // The gap will tell.
      .catch(() => undefined)
      .finally(() => {
        asking = false;
      });
  }, leaseMs / 5);

  return {
    isSteady: () => !hasGap() && Date.now() >= steadyFrom,
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
