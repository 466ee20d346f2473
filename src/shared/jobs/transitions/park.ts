import { type RawBuilder, sql } from 'kysely';
import { type Db, inTransaction } from '../../db/client.ts';
import type { Lease } from './lease.ts';
import { type Dispatchable, dispatchColumns } from '../backlog.ts';
import { liveStatuses } from '../find-jobs.ts';
import type { JobRow, NewJobRow } from '../../db/tables.ts';
import { writeEvents } from './write-events.ts';

export async function lockJob(trx: Db, id: string): Promise<JobRow | undefined> {
  return await trx.selectFrom('jobs').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

/** So long at most, in all of one wait: a child that nobody runs must not keep its parent for ever. */
const longestInQueue = sql`interval '30 minutes'`;

/**
 * How long a parent's children, all those of its last wave, have waited for the first of them to start. The queue may be
 * full of others' work: this time is no part of the bound of a run.
 * @param parentId a column or a value.
 */
export const timeInQueue = (parentId: RawBuilder<unknown>) => sql`coalesce((
  select least(coalesce(min(child.started_at), now()) - child.created_at, ${longestInQueue})
  from jobs as child where child.parent_id = ${parentId}
  group by child.created_at order by child.created_at desc limit 1
), interval '0')`;

/** The parent's row is locked. @returns it when no child is left, so that it is dispatched. */
export async function releaseParent(trx: Db, parentId: string, ended: number): Promise<Dispatchable | null> {
  const { rows } = await sql<Dispatchable & { status: JobRow['status'] }>`
    with released as (
      update jobs set
        pending_children = pending_children - ${ended},
        status = case when pending_children = ${ended} then 'queued' else status end,
        generation = generation + case when pending_children = ${ended} then 1 else 0 end,
        deadline_at = case
          when pending_children = ${ended} then deadline_at + ${timeInQueue(sql`${parentId}::uuid`)}
          else deadline_at
        end,
        dispatched_at = now(), run_at = now()
      where id = ${parentId} and status = 'waiting'
      returning ${sql.join(dispatchColumns.map((name) => sql.ref(name)))}, status, user_id, parent_id
    ),
    events as ${writeEvents('released', 'progress')}
    select ${sql.join(dispatchColumns.map((name) => sql.ref(name)))}, status from released`.execute(trx);
  const [parent] = rows;
  return parent?.status === 'queued' ? parent : null;
}

/** A statement has at most 65,535 values, and a row some twelve. */
const rowsAtOnce = 1_000;

/**
 * Parks a parent and inserts its children in one transaction; its slot is free from then on.
 * @returns the parent itself where all its children had ended already, or null when the lease was lost. The
 * children are in their user's backlog.
 */
export async function parkJob(
  db: Db,
  lease: Lease,
  children: readonly NewJobRow[],
): Promise<Dispatchable[] | null> {
  return await inTransaction(db, async (trx) => {
    const parent = await lockJob(trx, lease.id);
    if (parent?.lease_token !== lease.token || parent.status !== 'running') return null;
    for (let first = 0; first < children.length; first += rowsAtOnce) {
      const rows = children.slice(first, first + rowsAtOnce);
      await trx.insertInto('jobs').values(rows).execute();
    }
    const { live, total } = await trx
      .selectFrom('jobs')
      .select((eb) => [
        eb.fn.countAll<number>().as('total'),
        eb.fn.countAll<number>().filterWhere('status', 'in', liveStatuses).as('live'),
      ])
      .where('parent_id', '=', lease.id)
      .executeTakeFirstOrThrow();
    const resumesAtOnce = live === 0;
    await sql`
      with parked as (
        update jobs set
          status = ${resumesAtOnce ? 'queued' : 'waiting'}, pending_children = ${live}, total_children = ${total},
          generation = generation + ${resumesAtOnce ? 1 : 0}, lease_token = null, lease_expires_at = null
        where id = ${lease.id}
        returning id, user_id, parent_id
      ),
      events as ${writeEvents('parked', 'parked')}
      select from parked`.execute(trx);
    return resumesAtOnce ? [{ ...parent, generation: parent.generation + 1 }] : [];
  });
}

export type ChildRow = Pick<
  JobRow,
  'id' | 'ordinal' | 'operation' | 'input_hash' | 'status' | 'error' | 'result_blob_id' | 'warnings'
> & {
  /** Of its result; null where there is none. */
  size_bytes: number | null;
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
      'jobs.result_blob_id',
      'jobs.warnings',
      'blobs.size_bytes',
    ])
    .where('parent_id', '=', parentId)
    .execute();
}
