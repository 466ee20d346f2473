import { sql } from 'kysely';
import type { Blob } from '../../blobs/blob.ts';
import type { StoredError } from '../../errors.ts';
import type { JobFile } from '../../files/file-store.ts';
import type { CacheUse, Provenance, Warning } from '../../schemas/job.ts';
import { insertBlobsOf } from '../../db/blobs.ts';
import { discardFiles } from '../../db/files.ts';
import { type Db, inTransaction } from '../../db/client.ts';
import { lockJob, releaseParent } from './park.ts';
import { inLockOrder, type Lease } from './lease.ts';
import { hasBacklog, type Dispatchable, statusIs } from '../backlog.ts';
import { recordFailure } from '../../db/key-usage.ts';
import { type Column, prepare } from '../../db/prepared.ts';
import { writeDeliveries } from './write-deliveries.ts';
import { writeEvents } from './write-events.ts';

export interface JobEnd {
  outcome: { ok: true; result: Blob; files: readonly JobFile[] } | { ok: false; error: StoredError };
  warnings: readonly Warning[];
  cache?: CacheUse | null;
  provenance?: Provenance | null;
  ttlMs: number;
}

export interface EndedJob {
  finishedAt: Date;
  /** Of the result. */
  expiresAt: Date;
  /** To be dispatched: its last child was this one. */
  parent: Dispatchable | null;
  /** Its user has a backlog: see `takeBacklog`. */
  hasBacklog: boolean;
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
  return await inTransaction(db, async (trx) => {
    if (job.parentId !== null) await lockJob(trx, job.parentId);
    const [ended] = await endJobs(trx, [ending]);
    if (ended === undefined || ended === null) return null;
    if (!end.outcome.ok) {
      await discardFiles(trx, [job.id]);
      await recordFailure(trx, job.id);
    }
    const parent = job.parentId === null ? null : await releaseParent(trx, job.parentId, 1);
    return { ...ended, parent };
  });
}

/** True for an end that touches nothing but its own row. */
export function isPlainEnd({ job, end }: JobEnding): boolean {
  return job.parentId === null && end.outcome.ok;
}

const blobsOf = ({ end: { outcome } }: JobEnding): Blob[] => (outcome.ok ? [outcome.result] : []);

/** An ending that counted. */
interface EndedRow {
  token: string;
  finished_at: Date;
  expires_at: Date;
  has_backlog: boolean;
}

const resultOf = ({ end: { outcome } }: JobEnding) => (outcome.ok ? outcome : null);

const columns: Record<string, Column<JobEnding>> = {
  id: ['uuid', ({ job }) => job.id],
  token: ['uuid', ({ job }) => job.token],
  status: ['text', ({ end: { outcome } }) => (outcome.ok ? 'succeeded' : 'failed')],
  error: ['text', ({ end: { outcome } }) => (outcome.ok ? null : JSON.stringify(outcome.error))],
  result_blob_id: ['uuid', (ending) => resultOf(ending)?.result.id ?? null],
  warnings: ['text', ({ end }) => (end.warnings.length === 0 ? null : JSON.stringify(end.warnings))],
  cache: ['text', ({ end }) => (end.cache ? JSON.stringify(end.cache) : null)],
  provenance: ['text', ({ end }) => (end.provenance ? JSON.stringify(end.provenance) : null)],
  ttl_ms: ['float8', ({ end }) => end.ttlMs],
};

const endRows = prepare<EndedRow, JobEnding>(
  'end-jobs',
  ({ rows, value }, endings) => sql<EndedRow>`
    with ending as (select * from ${rows('ending', columns)}),
    ended as (
      update jobs set
        status = ending.status, error = ending.error::json,
        result_blob_id = ending.result_blob_id,
        warnings = ending.warnings::json, cache = ending.cache::json, provenance = ending.provenance::json,
        lease_token = null, lease_expires_at = null, secrets = null,
        finished_at = now(), expires_at = now() + ending.ttl_ms * interval '1 millisecond'
      from ending
      where jobs.id = ending.id and jobs.lease_token = ending.token and ${statusIs('running')}
      returning jobs.id, jobs.user_id, jobs.parent_id, jobs.status, jobs.webhook, jobs.result_blob_id,
        jobs.finished_at, jobs.expires_at, ending.token
    ),
    events as ${writeEvents('ended', sql`status`)},
    deliveries as ${writeDeliveries('ended')},
    stored as ${insertBlobsOf(
      'ended',
      endings.flatMap((ending, place) =>
        blobsOf(ending).map(
          (_, n) => (read) => value((all) => read(blobsOf(all[place] as JobEnding)[n] as Blob)),
        ),
      ),
    )}
    select token, finished_at, expires_at, ${hasBacklog(sql`ended.user_id`)} as has_backlog from ended`,
  // Postgres tells names apart by 63 characters: of many ends in a row that have as many blobs, one part.
  (endings) =>
    endings
      .map((ending) => blobsOf(ending).length)
      .join('')
      .replaceAll(/(.)\1*/g, (run, blobs: string) => `-${blobs}x${run.length}`),
);

/**
 * Ends rows and stores their blobs in one statement, so that the most usual end is one round trip and one commit.
 */
export async function endJobs(db: Db, endings: readonly JobEnding[]): Promise<(EndedJob | null)[]> {
  const rows = await endRows(
    db,
    inLockOrder(endings, ({ job }) => job.id),
  );
  const ended = new Map(rows.map((row) => [row.token, row]));
  return endings.map(({ job }) => {
    const row = ended.get(job.token);
    if (row === undefined) return null;
    return {
      finishedAt: row.finished_at,
      expiresAt: row.expires_at,
      hasBacklog: row.has_backlog,
      parent: null,
    };
  });
}
