import { sql } from 'kysely';
import { type Db, inTransaction } from '../../db/client.ts';
import { discardFiles } from '../../db/files.ts';
import type { StoredError } from '../../errors.ts';
import type { Dispatchable } from '../backlog.ts';
import { lockJob, releaseParent } from './park.ts';
import { inMs } from './lease.ts';
import { writeDeliveries } from './write-deliveries.ts';
import { type JobEnded, writeEvents } from './write-events.ts';

export interface Canceled {
  /** What has ended by it: the job and what was below it. */
  canceled: JobEnded[];
  /** To be dispatched. */
  parent: Dispatchable | null;
}

/** Cancels a live job and everything below it; an ended one stays as it is. */
export async function cancelJob(db: Db, id: string, ttlMs: number): Promise<Canceled> {
  return await inTransaction(db, (trx) => endTree(trx, id, ttlMs));
}

/** What was asked, and the hashes of it, as an expiry does: with a key the request's is needed until that is free again. */
const forgetAsked = sql`,
  input = '{}', input_hash = '',
  request_hash = case when idempotency_key is not null then request_hash end`;

/** The rows of one level of a tree that are live. They are locked in the order of their ids. */
async function endLevel(
  trx: Db,
  level: readonly string[],
  ttlMs: number,
  error: StoredError | null,
): Promise<JobEnded[]> {
  const { rows } = await sql<JobEnded>`
    with due as materialized (
      select id from jobs
      where id = any(${level}::uuid[]) and status in ('queued', 'running', 'waiting')
      order by id for update
    ),
    ended as (
      update jobs set
        status = ${error === null ? 'canceled' : 'failed'}, error = ${error && JSON.stringify(error)}::json,
        lease_token = null, lease_expires_at = null, secrets = null, finished_at = now(), expires_at = ${inMs(ttlMs)}
        ${error === null ? forgetAsked : sql``}
      from due where jobs.id = due.id
      returning jobs.id, jobs.user_id, jobs.parent_id, jobs.operation, jobs.status, jobs.webhook
    ),
    events as ${writeEvents('ended', sql`status`)},
    deliveries as ${writeDeliveries('ended')}
    select id, user_id as "userId", operation, status, ${error?.code ?? null}::text as code from ended`.execute(
    trx,
  );
  return rows;
}

async function listLiveChildren(trx: Db, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from jobs
    where parent_id = any(${ids}::uuid[]) and status in ('queued', 'running', 'waiting')`.execute(trx);
  return rows.map((row) => row.id);
}

/**
 * Ends a live job, `canceled` or with an error, and cancels everything below it: from the top down, so that no child
 * can release a parent that is being ended.
 */
export async function endTree(
  trx: Db,
  id: string,
  ttlMs: number,
  error: StoredError | null = null,
): Promise<Canceled> {
  const found = await trx.selectFrom('jobs').select('parent_id').where('id', '=', id).executeTakeFirst();
  const parentId = found?.parent_id ?? null;
  if (parentId !== null) await lockJob(trx, parentId);
  const canceled = await endLevel(trx, [id], ttlMs, error);
  if (canceled.length === 0) return { canceled, parent: null };
  for (let level = [id]; level.length > 0;) {
    level = await listLiveChildren(trx, level);
    if (level.length === 0) break;
    const ended = await endLevel(trx, level, ttlMs, null);
    canceled.push(...ended);
    level = ended.map((child) => child.id);
  }
  await discardFiles(
    trx,
    canceled.map((job) => job.id),
  );
  return { canceled, parent: parentId === null ? null : await releaseParent(trx, parentId, 1) };
}
