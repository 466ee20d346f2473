import { sql } from 'kysely';
import type { StoredError } from '../../errors.ts';
import type { Db } from '../../db/client.ts';
import { type Canceled, cancelTree } from './cancel.ts';
import { lockJob, releaseParent } from './park.ts';
import { inMs, suspectCrashes } from './lease.ts';
import { type Ringable, ringColumns } from '../turns.ts';
import { recordFailure } from '../../db/key-usage.ts';

/** A row is given up when this many workers died while they ran it. */
const maxCrashes = 3;

const workerLost: StoredError = {
  code: 'worker_lost',
  detail: `The worker that ran this job died ${maxCrashes} times, so the job was given up. The target may be more than a worker can hold; try a smaller request.`,
};

const waitedTooLong: StoredError = {
  code: 'job_timeout',
  detail:
    'The parts of this job did not end within its time bound. Ask for less at once, or try again later.',
};

export interface Recovered {
  toRing: Ringable[];
  /** Ids that ended now. */
  ended: string[];
}

async function failInPlace(trx: Db, id: string, error: StoredError, ttlMs: number): Promise<void> {
  await trx
    .updateTable('jobs')
    .set({
      status: 'failed',
      error: JSON.stringify(error),
      lease_token: null,
      lease_expires_at: null,
      finished_at: sql<Date>`now()`,
      expires_at: inMs(ttlMs),
    })
    .where('id', '=', id)
    .execute();
  await recordFailure(trx, id);
}

export interface RecoveryOptions {
  leaseMs: number;
  ttlMs: number;
  /** False while leases may have run out because Postgres did not answer. */
  isSteady: () => boolean;
}

/**
 * Rows whose worker stopped renewing: queued again, or failed where it keeps killing its workers. Leases that ran
 * out because Postgres was away are none of these: workers have `leaseMs` from its start to renew them.
 */
export async function recoverLostLeases(
  db: Db,
  { leaseMs, ttlMs, isSteady }: RecoveryOptions,
): Promise<Recovered> {
  const lost = await db
    .selectFrom('jobs')
    .select(['id', 'parent_id'])
    .where('status', '=', 'running')
    .where('lease_expires_at', '<', sql<Date>`now()`)
    .where(sql<Date>`pg_postmaster_start_time()`, '<', inMs(-leaseMs))
    // Who becomes a suspect waits for those that the same death makes suspects: their leases run out within a third.
    .where((eb) =>
      eb.or([
        eb('crashes', '!=', suspectCrashes - 1),
        eb(
          eb
            .selectFrom('jobs as fellow')
            .select((fellow) => fellow.fn.min('fellow.lease_expires_at').as('first'))
            .where('fellow.status', '=', 'running')
            .where('fellow.crashes', '=', suspectCrashes - 1),
          '<',
          inMs(-leaseMs / 3),
        ),
      ]),
    )
    // What was begun last is the likeliest to have killed its worker, and should not wait for its fellow suspects.
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(500)
    .execute();
  const recovered: Recovered = { toRing: [], ended: [] };
  for (const { id, parent_id: parentId } of lost) {
    // Asked when the answer is there: it may be the first one after a long silence.
    if (!isSteady()) break;
    await db.transaction().execute(async (trx) => {
      if (parentId !== null) await lockJob(trx, parentId);
      const row = await trx
        .updateTable('jobs')
        .set((eb) => ({
          status: 'queued',
          crashes: eb('crashes', '+', 1),
          generation: eb('generation', '+', 1),
          run_at: sql<Date>`now()`,
          rung_at: sql<Date>`now()`,
          lease_token: null,
          lease_expires_at: null,
          deadline_at: null,
        }))
        .where('id', '=', id)
        .where('status', '=', 'running')
        .where('lease_expires_at', '<', sql<Date>`now()`)
        .returning(ringColumns)
        .executeTakeFirst();
      if (row === undefined) return;
      if (row.crashes < maxCrashes) {
        recovered.toRing.push(row);
        return;
      }
      await failInPlace(trx, id, workerLost, ttlMs);
      recovered.ended.push(id);
      const parent = parentId === null ? null : await releaseParent(trx, parentId, 1);
      if (parent !== null) recovered.toRing.push(parent);
    });
  }
  return recovered;
}

/** Ids of waiting parents whose time is over by more than the margin in which a child would end them itself. */
export async function findOverdueParents(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('jobs')
    .select('id')
    .where('status', '=', 'waiting')
    .where('deadline_at', '<', sql<Date>`now() - interval '5 seconds'`)
    .limit(100)
    .execute();
  return rows.map((row) => row.id);
}

/** Fails a parent whose time is over, and cancels its parts. */
export async function timeOutParent(db: Db, id: string, ttlMs: number): Promise<Canceled> {
  return await db.transaction().execute(async (trx) => {
    const ended = await cancelTree(trx, id, ttlMs);
    if (ended.canceled.includes(id)) await failInPlace(trx, id, waitedTooLong, ttlMs);
    return ended;
  });
}

/** Queued rows whose ring is older than `olderThanMs`, the oldest ring first, marked as looked at. */
export async function takeQuietRows(db: Db, olderThanMs: number, limit: number): Promise<Ringable[]> {
  return await db
    .updateTable('jobs')
    .set({ rung_at: sql<Date>`now()` })
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('jobs')
        .select('id')
        .where('status', '=', 'queued')
        .where('run_at', '<=', sql<Date>`now()`)
        .where('rung_at', '<', inMs(-olderThanMs))
        .orderBy('rung_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .returning(ringColumns)
    .execute();
}
