import { sql } from 'kysely';
import type { Blob } from '../blobs/blob.ts';
import type { StoredError } from '../errors.ts';
import { createId } from '../ids.ts';
import type { CacheUse, Warning } from '../schemas/job.ts';
import { insertBlobsOf } from './blobs.ts';
import type { Db } from './client.ts';
import { recordFailure } from './key-usage.ts';
import { type Ringable, takeTurnsCtes } from './job-turns.ts';
import { liveStatuses } from './jobs.ts';
import type { JobProgress, JobRow, NewJobRow } from './tables.ts';

/** A worker's right to run a row: everything it writes is written only while the token is still the row's. */
export interface Lease {
  id: string;
  token: string;
}

export const inMs = (ms: number) => sql<Date>`now() + ${ms} * interval '1 millisecond'`;
export const ringColumns = ['id', 'queue', 'generation', 'run_at', 'crashes'] as const;

export type ClaimedRow = JobRow & { lease_token: string };

/** @returns undefined for a row that is not there to run: another worker has it, it has ended, or it must wait. */
export async function claimJobs(
  db: Db,
  ids: readonly string[],
  leaseMs: number,
): Promise<(ClaimedRow | undefined)[]> {
  const tokens = ids.map(() => createId());
  const { rows } = await sql<ClaimedRow>`
    update jobs set
      status = 'running',
      lease_token = claim.token,
      lease_expires_at = ${inMs(leaseMs)},
      -- A resumed parent keeps its deadline: that is no new attempt.
      attempts = attempts + case when deadline_at is null then 1 else 0 end,
      started_at = coalesce(started_at, now()),
      deadline_at = coalesce(deadline_at, now() + timeout_ms * interval '1 millisecond')
    from unnest(${ids}::uuid[], ${tokens}::uuid[]) as claim (id, token)
    where jobs.id = claim.id and status = 'queued' and run_at <= now() + interval '50 milliseconds'
    returning jobs.*`.execute(db);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id));
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
  /** Rows whose turn has come: the parent whose last child this was, and the user's next ones. */
  toRing: Ringable[];
}

export interface JobEnding {
  job: Lease & { parentId: string | null };
  end: JobEnd;
}

/**
 * Stores the result and ends the row in one transaction, only while the lease holds: a job run twice is
 * visible once.
 * @returns null when the lease was lost; nothing was stored then.
 */
export async function endJob(db: Db, ending: JobEnding): Promise<EndedJob | null> {
  const { job, end } = ending;
  if (isPlainEnd(ending)) return (await endJobs(db, [ending]))[0] ?? null;
  return await db.transaction().execute(async (trx) => {
    if (job.parentId !== null) await lockJob(trx, job.parentId);
    const [ended] = await endJobs(trx, [ending]);
    if (ended === undefined || ended === null) return null;
    if (!end.outcome.ok) await recordFailure(trx, job.id);
    const parent = job.parentId === null ? null : await releaseParent(trx, job.parentId, 1);
    return { toRing: parent === null ? ended.toRing : [parent, ...ended.toRing] };
  });
}

/** True for an end that touches nothing but its own row. */
export function isPlainEnd({ job, end }: JobEnding): boolean {
  return job.parentId === null && end.outcome.ok;
}

const blobsOf = ({ end: { outcome } }: JobEnding): Blob[] =>
  !outcome.ok ? [] : outcome.image === null ? [outcome.result] : [outcome.result, outcome.image];

/**
 * Ends rows and stores their blobs in one statement, so that the most usual end is one round trip and one
 * commit; and rings the next of their users' rows. The first of the ended is told all that is to be rung.
 */
export async function endJobs(db: Db, endings: readonly JobEnding[]): Promise<(EndedJob | null)[]> {
  const column = <T>(read: (ending: JobEnding) => T) => endings.map(read);
  const blobs = endings.flatMap((ending) =>
    blobsOf(ending).map((blob) => ({ ...blob, jobId: ending.job.id })),
  );
  const result = await sql<{
    ended: string[] | null;
    to_ring: (Omit<Ringable, 'run_at'> & { run_at: string })[] | null;
  }>`
    with ending as (
      select * from unnest(
        ${column(({ job }) => job.id)}::uuid[], ${column(({ job }) => job.token)}::uuid[],
        ${column(({ end }) => (end.outcome.ok ? 'succeeded' : 'failed'))}::text[],
        ${column(({ end }) => (end.outcome.ok ? null : JSON.stringify(end.outcome.error)))}::text[],
        ${column(({ end }) => (end.outcome.ok ? end.outcome.result.id : null))}::uuid[],
        ${column(({ end }) => (end.outcome.ok ? (end.outcome.image?.id ?? null) : null))}::uuid[],
        ${column(({ end }) => (end.warnings.length === 0 ? null : JSON.stringify(end.warnings)))}::text[],
        ${column(({ end }) => (end.cache ? JSON.stringify(end.cache) : null))}::text[],
        ${column(({ end }) => end.ttlMs)}::float8[]
      ) as row (id, token, status, error, result_blob_id, image_blob_id, warnings, cache, ttl_ms)
    ),
    ended as (
      update jobs set
        status = ending.status, error = ending.error::json,
        result_blob_id = ending.result_blob_id, image_blob_id = ending.image_blob_id,
        warnings = ending.warnings::json, cache = ending.cache::json,
        lease_token = null, lease_expires_at = null,
        finished_at = now(), expires_at = now() + ending.ttl_ms * interval '1 millisecond'
      from ending
      where jobs.id = ending.id and jobs.lease_token = ending.token and jobs.status = 'running'
      returning jobs.id, jobs.user_id
    ),
    stored as ${insertBlobsOf('ended', blobs)},
    freed as (select user_id, count(*)::int as count from ended group by user_id),
    ${takeTurnsCtes}
    select
      (select json_agg(id) from ended) as ended,
      (select json_agg(turns_taken) from turns_taken) as to_ring`.execute(db);
  const ended = new Set(result.rows[0]?.ended);
  let toRing = (result.rows[0]?.to_ring ?? []).map((row) => ({ ...row, run_at: new Date(row.run_at) }));
  return endings.map(({ job }) => {
    if (!ended.has(job.id)) return null;
    const answer = { toRing };
    toRing = [];
    return answer;
  });
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
