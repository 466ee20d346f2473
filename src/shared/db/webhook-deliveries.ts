import { sql } from 'kysely';
import { askReceiverNow } from './webhook-claims.ts';
import { type Db, inTransaction } from './client.ts';
import type { WebhookDeliveryRow, WebhookDeliveryStatus } from './tables.ts';

/**
 * Gives up what was tried for `ms`, however often: of many messages to a receiver that does not answer few are tried.
 * @returns how many, at most 1,000.
 */
export async function giveUpDeliveries(db: Db, ms: number): Promise<number> {
  const { rows } = await sql`
    update webhook_deliveries set status = 'failed' where id in (
      select id from webhook_deliveries
      where status = 'pending' and claim_token is null and tried_since < now() - ${ms} * interval '1 millisecond'
      limit 1000 for update skip locked
    ) returning 1`.execute(db);
  return rows.length;
}

/** Messages of one user that may wait to be sent. */
const mostPending = 100_000;

/**
 * Gives up the oldest of each user's messages beyond `most` that wait; the last entry of each log says so. Two processes
 * at it wait for each other, so that they do not both give up as many as are too many.
 * @returns how many, at most 1,000 of a user.
 */
export async function giveUpSurplus(db: Db, most = mostPending): Promise<number> {
  const { rows } = await sql`
    with recursive users as (
      (select user_id from webhook_deliveries where status = 'pending' order by user_id limit 1)
      union all
      select next.user_id from users cross join lateral (
        select user_id from webhook_deliveries where status = 'pending' and user_id > users.user_id order by user_id limit 1
      ) as next
    ),
    full_users as (
      select user_id, surplus from users cross join lateral (
        select count(*) - ${most} as surplus from webhook_deliveries
        where status = 'pending' and user_id = users.user_id
      ) as counted
      where surplus > 0
    ),
    oldest as (
      select own.id from full_users cross join lateral (
        select id from webhook_deliveries
        where status = 'pending' and claim_token is null and user_id = full_users.user_id
        order by tried_since, id limit least(surplus, 1000) for update
      ) as own
    )
    update webhook_deliveries set status = 'failed', attempts = attempts ||
      jsonb_build_object('at', now(), 'status', null, 'error', 'too_many_pending', 'answer', null, 'ms', null)
    where id in (select id from oldest) returning 1`.execute(db);
  return rows.length;
}

export type NewDelivery = Pick<
  WebhookDeliveryRow,
  'id' | 'user_id' | 'job_id' | 'type' | 'url' | 'receiver' | 'origin'
>;

export async function insertDelivery(db: Db, delivery: NewDelivery): Promise<WebhookDeliveryRow> {
  return await db.insertInto('webhook_deliveries').values(delivery).returningAll().executeTakeFirstOrThrow();
}

/** Of one user in an hour. */
export const testsPerHour = 60;

/** @returns undefined where the user has had as many tests within the hour as there may be. */
export async function insertTest(db: Db, delivery: NewDelivery): Promise<WebhookDeliveryRow | undefined> {
  return await inTransaction(db, async (trx) => {
    // The user's tests take turns here, or many at once would see the same number.
    await trx.selectFrom('users').select('id').where('id', '=', delivery.user_id).forNoKeyUpdate().execute();
    const { count } = await trx
      .selectFrom('webhook_deliveries')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('user_id', '=', delivery.user_id)
      .where('created_at', '>=', sql<Date>`now() - interval '1 hour'`)
      .where('type', '=', delivery.type)
      .executeTakeFirstOrThrow();
    if (count >= testsPerHour) return undefined;
    await askReceiverNow(trx, delivery);
    return await insertDelivery(trx, delivery);
  });
}

/** Of one message, all of which are listed with it. */
export const mostAttempts = 100;

/** Due again now, with a day of attempts before it. @returns undefined where the user has none with this id that may be sent. */
export async function redeliver(
  db: Db,
  { id, userId }: { id: string; userId: string },
): Promise<WebhookDeliveryRow | undefined> {
  const row = await db
    .updateTable('webhook_deliveries')
    .set({ status: 'pending', tries: 0, tried_since: sql<Date>`now()`, next_attempt_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    // One that is under way is tried as it is.
    .where('claim_token', 'is', null)
    .where(sql`jsonb_array_length(attempts)`, '<', mostAttempts)
    .returningAll()
    .executeTakeFirst();
  if (row !== undefined) await askReceiverNow(db, row);
  return row;
}

export async function findDelivery(
  db: Db,
  { id, userId }: { id: string; userId: string },
): Promise<WebhookDeliveryRow | undefined> {
  return await db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst();
}

export interface DeliveryListing {
  userId: string;
  status?: WebhookDeliveryStatus | undefined;
  jobId?: string | undefined;
  limit: number;
  /** Id of the last one of the page before. */
  before?: string | undefined;
}

/** Newest first. */
export async function listDeliveries(db: Db, listing: DeliveryListing): Promise<WebhookDeliveryRow[]> {
  const { userId, status, jobId, limit, before } = listing;
  return await db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('user_id', '=', userId)
    .$if(status !== undefined, (query) => query.where('status', '=', status ?? 'pending'))
    .$if(jobId !== undefined, (query) => query.where('job_id', '=', jobId ?? ''))
    .$if(before !== undefined, (query) =>
      query.where(
        sql<boolean>`(created_at, id) < (
          select created_at, id from webhook_deliveries where id = ${before} and user_id = ${userId}
        )`,
      ),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

const keptDays = 7;

/** Deletes what is known of receivers that nothing was sent to for a week. @returns how many, at most 500. */
export async function deleteOldReceivers(db: Db): Promise<number> {
  const { rows } = await sql`
    delete from webhook_receivers where (user_id, receiver) in (
      select user_id, receiver from webhook_receivers as old
      where failed_at < now() - ${keptDays} * interval '1 day' and not exists (
        select from webhook_deliveries as waiting
        where waiting.status = 'pending' and waiting.user_id = old.user_id and waiting.receiver = old.receiver
      )
      limit 500 for update skip locked
    ) returning 1`.execute(db);
  return rows.length;
}

/** Deletes messages that were made, and last asked to be sent, a week ago, unless they wait. @returns how many, at most 500. */
export async function deleteOldDeliveries(db: Db): Promise<number> {
  const { rows } = await sql`
    delete from webhook_deliveries where id in (
      select id from webhook_deliveries
      where status <> 'pending' and created_at < now() - ${keptDays} * interval '1 day'
        -- Later than created_at where it was sent anew. That one has the index, which leaves few others.
        and tried_since < now() - ${keptDays} * interval '1 day'
      limit 500 for update skip locked
    ) returning 1`.execute(db);
  return rows.length;
}
