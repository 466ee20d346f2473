import { sql } from 'kysely';
import type { Db } from '../db/client.ts';
import type { JobRow } from '../db/tables.ts';
import { AppError } from '../errors.ts';
import { liveStatuses } from './find-jobs.ts';

/** Then a key is free again. */
export const idempotencyHours = 24;

/** A request as a job's row knows it. */
export interface HashedRequest {
  hash: Buffer;
  /** Where its end is to be told; null: nowhere. */
  webhookUrl: string | null;
}

/**
 * The job that an idempotency key of the user stands for; a key is free again after 24 h.
 * @throws AppError `idempotency_mismatch` where that is a job of another request, or one that has not ended and is told
 *   elsewhere.
 */
export async function findIdempotentJob(
  db: Db,
  userId: string,
  key: string,
  request: HashedRequest,
): Promise<Pick<JobRow, 'id'> | undefined> {
  const earlier = await findJobOfKey(db, userId, key);
  if (earlier === undefined) return undefined;
  if (earlier.request_hash?.equals(request.hash) !== true) {
    throw new AppError(
      'idempotency_mismatch',
      'This Idempotency-Key was used for another request in the last 24 hours. Use a new key for a new request.',
    );
  }
  const isLive = liveStatuses.some((status) => status === earlier.status);
  if (isLive && request.webhookUrl !== null && request.webhookUrl !== earlier.webhook?.url) {
    throw new AppError(
      'idempotency_mismatch',
      'The job of this Idempotency-Key has not ended, and was asked for with another X-Webhook-Url or none. Use a new key, or leave X-Webhook-Url out.',
    );
  }
  return earlier;
}

async function findJobOfKey(db: Db, userId: string, key: string) {
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
): Promise<Pick<JobRow, 'id'> | undefined> {
  return await db
    .selectFrom('jobs')
    .select('id')
    .where('user_id', '=', userId)
    .where('status', 'in', liveStatuses)
    .where('operation', '=', operation)
    .where('input_hash', '=', inputHash)
    .where('parent_id', 'is', null)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
}
