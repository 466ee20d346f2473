import { sql } from 'kysely';
import type { Db } from '../../db/client.ts';
import { lockJob, releaseParent } from './park.ts';
import { inMs } from './lease.ts';
import type { Ringable } from '../turns.ts';
import { liveStatuses } from '../find-jobs.ts';

export interface Canceled {
  /** Ids that ended now. */
  canceled: string[];
  /** To be rung. */
  parent: Ringable | null;
}

/** Cancels a live job and everything below it; an ended one stays as it is. */
export async function cancelJob(db: Db, id: string, ttlMs: number): Promise<Canceled> {
  return await db.transaction().execute((trx) => cancelTree(trx, id, ttlMs));
}

export async function cancelTree(trx: Db, id: string, ttlMs: number): Promise<Canceled> {
  const found = await trx.selectFrom('jobs').select('parent_id').where('id', '=', id).executeTakeFirst();
  if (found?.parent_id) await lockJob(trx, found.parent_id);
  const canceled: string[] = [];
  // From the top down, so that no child can release a parent that is being canceled.
  for (let level = [id]; level.length > 0;) {
    const ended = await trx
      .updateTable('jobs')
      .set({
        status: 'canceled',
        lease_token: null,
        lease_expires_at: null,
        finished_at: sql<Date>`now()`,
        expires_at: inMs(ttlMs),
      })
      .where('id', 'in', level)
      .where('status', 'in', liveStatuses)
      .returning('id')
      .execute();
    const ids = ended.map((row) => row.id);
    canceled.push(...ids);
    if (ids.length === 0) break;
    const children = await trx
      .selectFrom('jobs')
      .select('id')
      .where('parent_id', 'in', ids)
      .where('status', 'in', liveStatuses)
      .execute();
    level = children.map((row) => row.id);
  }
  const parent =
    found?.parent_id && canceled.includes(id) ? await releaseParent(trx, found.parent_id, 1) : null;
  return { canceled, parent };
}
