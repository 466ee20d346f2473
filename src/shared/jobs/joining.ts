import { sql } from 'kysely';
import type { Db } from '../db/client.ts';
import { liveStatuses } from './find-jobs.ts';
import type { JobRow } from '../db/tables.ts';

const idempotencyHours = 24;

type JoinableRow = Pick<JobRow, 'id' | 'request_hash' | 'status' | 'webhook'>;

/** The job that an idempotency key stands for; a key is free again after 24 h. */
export async function findIdempotentJob(
  db: Db,
  userId: string,
  key: string,
): Promise<JoinableRow | undefined> {
  const row = await db
    .selectFrom('jobs')
    .select(['id', 'request_hash', 'status', 'webhook'])
    .select(sql<boolean>`created_at < now() - ${idempotencyHours} * interval '1 hour'`.as('stale'))
    .where('user_id', '=', userId)
    .where('idempotency_key', '=', key)
    .executeTakeFirst();
  if (!row?.stale) return row;
  await db
    .updateTable('jobs')
    .set({ idempotency_key: null, request_hash: null })
    .where('id', '=', row.id)
    .execute();
  return undefined;
}

/** The user's own live job of the same operation and input. */
export async function findIdenticalLiveJob(
  db: Db,
  userId: string,
  operation: string,
  inputHash: Buffer,
): Promise<JoinableRow | undefined> {
  return await db
    .selectFrom('jobs')
    .select(['id', 'request_hash', 'status', 'webhook'])
    .where('user_id', '=', userId)
    .where('status', 'in', liveStatuses)
    .where('operation', '=', operation)
    .where('input_hash', '=', inputHash)
    .where('parent_id', 'is', null)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
}
