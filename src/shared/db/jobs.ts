import { sql } from 'kysely';
import type { QueueName } from '../operation.ts';
import type { Db } from './client.ts';
import type { JobRow, JobRowStatus, NewJobRow } from './tables.ts';
import { concurrencyOf, type Ringable, rungRowsOf } from './job-turns.ts';

export const liveStatuses = ['queued', 'running', 'waiting'] as const satisfies readonly JobRowStatus[];

/**
 * Inserts a job, as rung where it is its user's turn: the ring follows the commit at once, and the sweep
 * finds one that was lost.
 * @returns what is to be rung; null where the row waits for its turn.
 */
export async function insertJob(db: Db, row: NewJobRow): Promise<Ringable | null> {
  const rung = await db
    .with('rung', () => rungRowsOf(row.user_id))
    .insertInto('jobs')
    .values({
      ...row,
      rung_at: sql<Date>`case when (select count from rung) < ${concurrencyOf(row.user_id)} then now() end`,
    })
    .returning([
      'id',
      'queue',
      'generation',
      'run_at',
      'crashes',
      'rung_at',
      sql<number>`(select count from rung)`.as('priority'),
    ])
    .executeTakeFirstOrThrow();
  return rung.rung_at === null ? null : rung;
}

export async function findJob(db: Db, id: string): Promise<JobRow | undefined> {
  return await db.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirst();
}

export type JobWithResult = JobRow & {
  /** The stored output as JSON text; null where there is none. */
  result: Buffer | null;
};

export async function findJobWithResult(db: Db, id: string): Promise<JobWithResult | undefined> {
  return await db
    .selectFrom('jobs')
    .leftJoin('blobs', 'blobs.id', 'jobs.result_blob_id')
    .selectAll('jobs')
    .select('blobs.bytes as result')
    .where('jobs.id', '=', id)
    .executeTakeFirst();
}

/** Which of the jobs have ended, for those who wait. */
export async function findEndedIds(db: Db, ids: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('jobs')
    .select('id')
    .where('id', 'in', ids)
    .where('status', 'not in', liveStatuses)
    .execute();
  return rows.map((row) => row.id);
}

export interface JobListing {
  userId: string;
  /** As clients name them. */
  status?: 'queued' | 'running' | 'succeeded' | 'failed' | 'canceled' | 'expired' | undefined;
  operation?: string | undefined;
  limit: number;
  /** Id of the last job of the page before. */
  before?: string | undefined;
}

/** Newest first; a user's own requests only, not the children that they were split into. */
export async function listJobs(db: Db, listing: JobListing): Promise<JobRow[]> {
  const { userId, status, operation, limit, before } = listing;
  return await db
    .selectFrom('jobs')
    .selectAll()
    .where('user_id', '=', userId)
    .where('parent_id', 'is', null)
    .$if(status === 'running', (query) => query.where('status', 'in', ['running', 'waiting']))
    .$if(status === 'expired', (query) =>
      query.where((eb) => eb.or([eb('status', '=', 'expired'), eb('expires_at', '<=', sql<Date>`now()`)])),
    )
    .$if(status !== undefined && status !== 'running' && status !== 'expired', (query) =>
      query
        .where('status', '=', status as JobRowStatus)
        .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', sql<Date>`now()`)])),
    )
    .$if(operation !== undefined, (query) => query.where('operation', '=', operation ?? ''))
    .$if(before !== undefined, (query) => query.where('id', '<', before ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

export async function countLiveJobs(db: Db, userId: string): Promise<{ queued: number; running: number }> {
  const { queued, running } = await db
    .selectFrom('jobs')
    .select((eb) => [
      eb.fn.countAll<number>().filterWhere('status', '=', 'queued').as('queued'),
      eb.fn.countAll<number>().filterWhere('status', '<>', 'queued').as('running'),
    ])
    .where('user_id', '=', userId)
    .where('status', 'in', liveStatuses)
    .where('parent_id', 'is', null)
    .executeTakeFirstOrThrow();
  return { queued, running };
}

export async function countQueuedByQueue(db: Db): Promise<Map<string, { waiting: number; active: number }>> {
  const rows = await db
    .selectFrom('jobs')
    .select((eb) => [
      'queue',
      eb.fn.countAll<number>().filterWhere('status', '=', 'queued').as('waiting'),
      eb.fn.countAll<number>().filterWhere('status', '=', 'running').as('active'),
    ])
    .where('status', 'in', ['queued', 'running'])
    .groupBy('queue')
    .execute();
  return new Map(rows.map(({ queue, waiting, active }) => [queue, { waiting, active }]));
}

/** Counts up to `bound` only, so that a full queue is as quick to see as an empty one. */
export async function isQueueFull(db: Db, queue: QueueName, bound: number): Promise<boolean> {
  const row = await db
    .selectFrom('jobs')
    .select('id')
    .where('status', '=', 'queued')
    .where('queue', '=', queue)
    .offset(bound - 1)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export async function hasPendingJobs(db: Db, userId: string, bound: number): Promise<boolean> {
  const row = await db
    .selectFrom('jobs')
    .select('id')
    .where('user_id', '=', userId)
    .where('status', 'in', liveStatuses)
    .offset(bound - 1)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

const drainWindowSeconds = 30;

/**
 * Jobs that have ended in the last 30 s, per second. `ttlMs` is how long their results are kept: it finds them
 * by the index on their expiry.
 */
export async function getDrainRate(
  db: Db,
  ttlMs: number,
  of: { queue: QueueName } | { userId: string },
): Promise<number> {
  const { count } = await db
    .selectFrom('jobs')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(
      'expires_at',
      '>',
      sql<Date>`now() + ${ttlMs - drainWindowSeconds * 1_000} * interval '1 millisecond'`,
    )
    .where((eb) => ('queue' in of ? eb('queue', '=', of.queue) : eb('user_id', '=', of.userId)))
    .executeTakeFirstOrThrow();
  return count / drainWindowSeconds;
}
