import { sql } from 'kysely';
import type { Db } from './client.ts';
import type { WebhookAttempt, WebhookDeliveryRow, WebhookDeliveryStatus } from './tables.ts';

/** Failures in a row without an answer after which a receiver is asked one message at a time, and seldom. */
export const failuresThatOpen = 3;
const openSeconds = { least: 5, most: 300 };
const deliveriesAtOnce = 4;

export interface ClaimedDelivery extends WebhookDeliveryRow {
  claim_token: string;
  /** Of its receiver, without an answer and in a row. */
  failures: number;
}

export interface ClaimOptions {
  token: string;
  /** Receivers that nothing more is to be sent to now, as `user receiver`. */
  busy: readonly string[];
  busyUsers: readonly string[];
  limit: number;
  /** After which a claim that was not settled is anybody's. */
  leaseMs: number;
}

/**
 * Takes messages that are due: by receiver, from the first of each, so that it costs the same however many wait for
 * one that does not answer. What was claimed before and never settled is told in its list of attempts.
 */
export async function claimDeliveries(db: Db, options: ClaimOptions): Promise<ClaimedDelivery[]> {
  const { token, busy, busyUsers, limit, leaseMs } = options;
  const { rows } = await sql<ClaimedDelivery>`
    with recursive heads as (
      (
        select user_id, receiver, next_attempt_at from webhook_deliveries
        where status = 'pending' order by user_id, receiver, next_attempt_at limit 1
      )
      union all
      select next.* from heads cross join lateral (
        select user_id, receiver, next_attempt_at from webhook_deliveries
        where status = 'pending' and (user_id, receiver) > (heads.user_id, heads.receiver)
        order by user_id, receiver, next_attempt_at limit 1
      ) as next
    ),
    due as (
      select own.id, coalesce(webhook_receivers.failures, 0) as failures
      from heads
      left join webhook_receivers using (user_id, receiver)
      cross join lateral (
        select id from webhook_deliveries
        where status = 'pending' and user_id = heads.user_id and receiver = heads.receiver
          and next_attempt_at <= now()
        order by next_attempt_at
        limit case when webhook_receivers.failures >= ${failuresThatOpen} then 1 else ${deliveriesAtOnce} end
        for update skip locked
      ) as own
      where heads.next_attempt_at <= now() and (open_until is null or open_until <= now())
        and heads.user_id || ' ' || heads.receiver <> all(${busy}::text[])
        and heads.user_id <> all(${busyUsers}::uuid[])
      limit ${limit}
    )
    update webhook_deliveries as delivery set
      attempts = case when claim_token is null then attempts else attempts || jsonb_build_object(
        'at', claimed_at, 'status', null, 'error', 'interrupted', 'answer', null, 'ms', null) end,
      claim_token = ${token}, claimed_at = now(), tries = tries + 1,
      next_attempt_at = now() + ${leaseMs} * interval '1 millisecond'
    from due where delivery.id = due.id
    returning delivery.*, due.failures`.execute(db);
  return rows;
}

export interface Settlement {
  attempt: WebhookAttempt;
  status: WebhookDeliveryStatus;
  /** Of a message that is tried again. */
  nextInMs: number | null;
}

/** Writes what came of a try, unless somebody else has claimed it since. */
export async function settleDelivery(
  db: Db,
  { id, claim_token }: Pick<ClaimedDelivery, 'id' | 'claim_token'>,
  { attempt, status, nextInMs }: Settlement,
): Promise<void> {
  await sql`
    update webhook_deliveries set
      attempts = attempts || ${JSON.stringify([attempt])}::jsonb, status = ${status}, claim_token = null, claimed_at = null,
      next_attempt_at = now() + ${nextInMs ?? 0} * interval '1 millisecond'
    where id = ${id} and claim_token = ${claim_token}`.execute(db);
}

/** The receiver is gone for good: nothing that waits for its URL is sent. */
export async function stopDeliveries(db: Db, userId: string, url: string): Promise<void> {
  await db
    .updateTable('webhook_deliveries')
    .set({ status: 'stopped' })
    .where('user_id', '=', userId)
    .where('url', '=', url)
    .where('status', '=', 'pending')
    .execute();
}

/** A receiver has answered, whatever it said. */
export async function closeCircuit(db: Db, userId: string, receiver: string): Promise<void> {
  await db
    .deleteFrom('webhook_receivers')
    .where('user_id', '=', userId)
    .where('receiver', '=', receiver)
    .execute();
}

/** A receiver has not answered: from the third time on it is left alone, twice as long each time. */
export async function countFailure(db: Db, userId: string, receiver: string): Promise<void> {
  const { least, most } = openSeconds;
  const seconds = sql`least(${most}::float8, ${least} * 2 ^ least(20, failed.failures - ${failuresThatOpen - 1}))`;
  await sql`
    insert into webhook_receivers as failed (user_id, receiver, failures) values (${userId}, ${receiver}, 1)
    on conflict (user_id, receiver) do update set
      failures = failed.failures + 1,
      open_until = case when failed.failures + 1 >= ${failuresThatOpen}
        then now() + ${seconds} * (0.75 + random() / 2) * interval '1 second' end`.execute(db);
}

export type NewDelivery = Pick<
  WebhookDeliveryRow,
  'id' | 'user_id' | 'job_id' | 'type' | 'url' | 'receiver' | 'origin'
>;

export async function insertDelivery(db: Db, delivery: NewDelivery): Promise<WebhookDeliveryRow> {
  return await db.insertInto('webhook_deliveries').values(delivery).returningAll().executeTakeFirstOrThrow();
}

/** Due again now, with a day of tries before it. @returns undefined where the user has none with this id. */
export async function redeliver(
  db: Db,
  { id, userId }: { id: string; userId: string },
): Promise<WebhookDeliveryRow | undefined> {
  return await db
    .updateTable('webhook_deliveries')
    .set({ status: 'pending', tries: 0, next_attempt_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    // One that is under way is tried as it is.
    .where('claim_token', 'is', null)
    .returningAll()
    .executeTakeFirst();
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
    .$if(before !== undefined, (query) => query.where('id', '<', before ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

const keptDays = 7;

/** Deletes messages that were settled a week ago. @returns how many, at most 500. */
export async function deleteOldDeliveries(db: Db): Promise<number> {
  const { rows } = await sql`
    delete from webhook_deliveries where id in (
      select id from webhook_deliveries
      where status <> 'pending' and created_at < now() - ${keptDays} * interval '1 day'
      limit 500 for update skip locked
    ) returning 1`.execute(db);
  return rows.length;
}
