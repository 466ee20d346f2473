import { sql } from 'kysely';
import type { Blob } from '../blobs/blob.ts';
import type { StoredError } from '../errors.ts';
import { createId } from '../ids.ts';
import type { CacheUse, Warning } from '../schemas/job.ts';
import { insertBlobsFor } from './blobs.ts';
import type { Db } from './client.ts';
import { recordFailure } from './key-usage.ts';
import type { Ringable } from './job-turns.ts';
import { liveStatuses } from './jobs.ts';
import type { JobProgress, JobRow, NewJobRow } from './tables.ts';

/** A worker's right to run a row: everything it writes is written only while the token is still the row's. */
export interface Lease {
  id: string;
  token: string;
}

export const inMs = (ms: number) => sql<Date>`now() + ${ms} * interval '1 millisecond'`;
export const ringColumns = ['id', 'queue', 'generation', 'run_at', 'crashes'] as const;

/** @returns undefined when there is nothing to run: another worker has it, it has ended, or it must wait. */
export async function claimJob(
  db: Db,
  id: string,
  leaseMs: number,
): Promise<(JobRow & { lease_token: string }) | undefined> {
  const token = createId();
  const row = await db
    .updateTable('jobs')
    .set((eb) => ({
      status: 'running',
      lease_token: token,
      lease_expires_at: inMs(leaseMs),
      // A resumed parent keeps its deadline: that is no new attempt.
      attempts: sql<number>`attempts + case when deadline_at is null then 1 else 0 end`,
      started_at: eb.fn.coalesce('started_at', sql<Date>`now()`),
      deadline_at: eb.fn.coalesce('deadline_at', sql<Date>`now() + timeout_ms * interval '1 millisecond'`),
    }))
    .where('id', '=', id)
    .where('status', '=', 'queued')
    .where('run_at', '<=', sql<Date>`now() + interval '50 milliseconds'`)
    .returningAll()
    .executeTakeFirst();
  return row && { ...row, lease_token: token };
}

/** Renews all leases of a process in one statement. @returns the ids whose lease is still its own. */
export async function renewLeases(db: Db, leases: readonly Lease[], leaseMs: number): Promise<Set<string>> {
  if (leases.length === 0) return new Set();
  const rows = await db
    .updateTable('jobs')
    .set({ lease_expires_at: inMs(leaseMs) })
    .where(
      'lease_token',
      'in',
      leases.map((lease) => lease.token),
    )
    .where(
      'id',
      'in',
      leases.map((lease) => lease.id),
    )
    .where('status', '=', 'running')
    .returning('id')
    .execute();
  return new Set(rows.map((row) => row.id));
}

export async function saveProgress(db: Db, lease: Lease, progress: JobProgress): Promise<void> {
  await db
    .updateTable('jobs')
    .set({ progress: JSON.stringify(progress) })
    .where('id', '=', lease.id)
    .where('lease_token', '=', lease.token)
    .execute();
}

/** @returns false when the lease was lost: the step's effect must not be built upon. */
export async function saveSteps(db: Db, lease: Lease, steps: Record<string, unknown>): Promise<boolean> {
  const row = await db
    .updateTable('jobs')
    .set({ steps: JSON.stringify(steps) })
    .where('id', '=', lease.id)
    .where('lease_token', '=', lease.token)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export interface JobEnd {
  outcome: { ok: true; result: Blob; image: Blob | null } | { ok: false; error: StoredError };
  warnings: readonly Warning[];
  cache?: CacheUse | null;
  ttlMs: number;
}

export interface EndedJob {
  /** The parent whose last child this was: it runs again. */
  parent: Ringable | null;
}

/**
 * Stores the result and ends the row in one transaction, only while the lease holds: a job run twice is
 * visible once.
 * @returns null when the lease was lost; nothing was stored then.
 */
export async function endJob(
  db: Db,
  job: Lease & { parentId: string | null },
  end: JobEnd,
): Promise<EndedJob | null> {
  const { parentId } = job;
  if (parentId === null && end.outcome.ok) return (await endRow(db, job, end)) ? { parent: null } : null;
  return await db.transaction().execute(async (trx) => {
    if (parentId !== null) await lockJob(trx, parentId);
    if (!(await endRow(trx, job, end))) return null;
    if (!end.outcome.ok) await recordFailure(trx, job.id);
    return { parent: parentId === null ? null : await releaseParent(trx, parentId, 1) };
  });
}

/** One statement, so that the most usual end is one round trip and one commit. */
async function endRow(
  db: Db,
  { id, token }: Lease,
  { outcome, warnings, cache = null, ttlMs }: JobEnd,
): Promise<boolean> {
  const blobs = !outcome.ok
    ? []
    : outcome.image === null
      ? [outcome.result]
      : [outcome.result, outcome.image];
  const ended = await db
    .with('ended', (cte) =>
      cte
        .updateTable('jobs')
        .set({
          status: outcome.ok ? 'succeeded' : 'failed',
          error: outcome.ok ? null : JSON.stringify(outcome.error),
          result_blob_id: outcome.ok ? outcome.result.id : null,
          image_blob_id: outcome.ok ? (outcome.image?.id ?? null) : null,
          warnings: warnings.length === 0 ? null : JSON.stringify(warnings),
          cache: cache && JSON.stringify(cache),
          lease_token: null,
          lease_expires_at: null,
          finished_at: sql<Date>`now()`,
          expires_at: inMs(ttlMs),
        })
        .where('id', '=', id)
        .where('lease_token', '=', token)
        .where('status', '=', 'running')
        .returning('id'),
    )
    .with('stored', () => insertBlobsFor('ended', blobs))
    .selectFrom('ended')
    .select('id')
    .executeTakeFirst();
  return ended !== undefined;
}

export async function lockJob(trx: Db, id: string): Promise<JobRow | undefined> {
  return await trx.selectFrom('jobs').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

/** The parent's row is locked. @returns it when no child is left, so that it is rung. */
export async function releaseParent(trx: Db, parentId: string, ended: number): Promise<Ringable | null> {
  const parent = await trx
    .updateTable('jobs')
    .set((eb) => ({
      pending_children: eb('pending_children', '-', ended),
      status: sql<'queued' | 'waiting'>`case when pending_children = ${ended} then 'queued' else status end`,
      generation: sql<number>`case when pending_children = ${ended} then generation + 1 else generation end`,
      rung_at: sql<Date>`now()`,
      run_at: sql<Date>`now()`,
    }))
    .where('id', '=', parentId)
    .where('status', '=', 'waiting')
    .returning([...ringColumns, 'status'])
    .executeTakeFirst();
  return parent?.status === 'queued' ? parent : null;
}

/**
 * Parks a parent and inserts its children in one transaction; its slot is free from then on.
 * @returns the parent itself where all its children had ended already, or null when the lease was lost. The
 * children wait for their user's turns.
 */
export async function parkJob(
  db: Db,
  lease: Lease,
  children: readonly NewJobRow[],
): Promise<Ringable[] | null> {
  return await db.transaction().execute(async (trx) => {
    const parent = await lockJob(trx, lease.id);
    if (parent?.lease_token !== lease.token || parent.status !== 'running') return null;
    if (children.length > 0) await trx.insertInto('jobs').values(children).execute();
    const { live, total } = await trx
      .selectFrom('jobs')
      .select((eb) => [
        eb.fn.countAll<number>().as('total'),
        eb.fn.countAll<number>().filterWhere('status', 'in', liveStatuses).as('live'),
      ])
      .where('parent_id', '=', lease.id)
      .executeTakeFirstOrThrow();
    const resumesAtOnce = live === 0;
    await trx
      .updateTable('jobs')
      .set({
        status: resumesAtOnce ? 'queued' : 'waiting',
        pending_children: live,
        total_children: total,
        generation: parent.generation + (resumesAtOnce ? 1 : 0),
        lease_token: null,
        lease_expires_at: null,
      })
      .where('id', '=', lease.id)
      .execute();
    return resumesAtOnce ? [{ ...parent, generation: parent.generation + 1 }] : [];
  });
}

export type ChildRow = Pick<JobRow, 'id' | 'ordinal' | 'operation' | 'input_hash' | 'status' | 'error'> & {
  result: Buffer | null;
};

export async function listChildren(db: Db, parentId: string): Promise<ChildRow[]> {
  return await db
    .selectFrom('jobs')
    .leftJoin('blobs', 'blobs.id', 'jobs.result_blob_id')
    .select([
      'jobs.id',
      'jobs.ordinal',
      'jobs.operation',
      'jobs.input_hash',
      'jobs.status',
      'jobs.error',
      'blobs.bytes as result',
    ])
    .where('parent_id', '=', parentId)
    .execute();
}

/** Gives a row back, to run again after `delayMs`. @returns undefined when the lease was lost. */
export async function requeueJob(
  db: Db,
  lease: Lease,
  { delayMs, countRetry }: { delayMs: number; countRetry: boolean },
): Promise<Ringable | undefined> {
  return await db
    .updateTable('jobs')
    .set((eb) => ({
      status: 'queued',
      generation: eb('generation', '+', 1),
      retries: eb('retries', '+', countRetry ? 1 : 0),
      run_at: inMs(delayMs),
      rung_at: sql<Date>`now()`,
      lease_token: null,
      lease_expires_at: null,
      deadline_at: null,
    }))
    .where('id', '=', lease.id)
    .where('lease_token', '=', lease.token)
    .where('status', '=', 'running')
    .returning(ringColumns)
    .executeTakeFirst();
}
