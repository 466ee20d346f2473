import { sql } from 'kysely';
import type { Db } from '../../db/client.ts';
import type { Lease } from './lease.ts';
import { type Ringable, ringColumns } from '../turns.ts';
import { liveStatuses } from '../find-jobs.ts';
import type { JobRow, NewJobRow } from '../../db/tables.ts';

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

/** A statement has at most 65,535 values, and a row some twelve. */
const rowsAtOnce = 1_000;

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

export type ChildRow = Pick<
  JobRow,
  'id' | 'ordinal' | 'operation' | 'input_hash' | 'status' | 'error' | 'result_blob_id'
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
      'blobs.size_bytes',
    ])
    .where('parent_id', '=', parentId)
    .execute();
}
