import { sql } from 'kysely';
import type { Db } from './client.ts';
import type { WebhookAttempt, WebhookDeliveryRow, WebhookDeliveryStatus } from './tables.ts';

/** Failures in a row without an answer after which a receiver is asked one message at a time, and seldom. */
const failuresThatOpen = 3;
const openSeconds = { least: 5, most: 300 };
/** The attempts, where the last one was claimed and never settled. */
const interrupted = sql`
  case when claim_token is null then attempts else jsonb_set(attempts, '{-1,error}', '"interrupted"') end`;

export interface ClaimedDelivery extends WebhookDeliveryRow {
  claim_token: string;
  /** When this try began, as the log tells it. */
  claimed_at: Date;
  /** Of its receiver, without an answer and in a row. */
  failures: number;
}

export interface ClaimOptions {
  token: string;
  /** What this process has under way, by receiver (`user receiver`) and by user. */
  ofReceivers: ReadonlyMap<string, number>;
  ofUsers: ReadonlyMap<string, number>;
  /** Bounds of the same. */
  mostOfReceiver: number;
  mostOfUser: number;
  limit: number;
  /** After which a claim that was not settled is anybody's. */
  leaseMs: number;
}

/**
 * Takes messages that are due: by receiver, from the first of each, so that it costs the same however many wait for
 * one that does not answer. The try is in the list of attempts before it is sent, without an answer; of one that was
 * never settled nobody knows the answer, and it stays there as `interrupted`.
 */
export async function claimDeliveries(db: Db, options: ClaimOptions): Promise<ClaimedDelivery[]> {
  const { token, ofReceivers, ofUsers, mostOfReceiver, mostOfUser, limit, leaseMs } = options;
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
    of_receivers as (
      select * from unnest(${[...ofReceivers.keys()]}::text[], ${[...ofReceivers.values()]}::int[]) as it (name, under_way)
    ),
    of_users as (
      select * from unnest(${[...ofUsers.keys()]}::uuid[], ${[...ofUsers.values()]}::int[]) as it (user_id, under_way)
    ),
    due as (
      select own.id, heads.user_id, coalesce(webhook_receivers.failures, 0) as failures,
        row_number() over (partition by heads.user_id order by own.place, heads.receiver) + coalesce(of_users.under_way, 0) as of_user
      from heads
      left join webhook_receivers using (user_id, receiver)
      left join of_receivers on of_receivers.name = heads.user_id || ' ' || heads.receiver
      left join of_users on of_users.user_id = heads.user_id
      cross join lateral (
        select id, next_attempt_at as place from webhook_deliveries
        where status = 'pending' and user_id = heads.user_id and receiver = heads.receiver
          and next_attempt_at <= now()
        order by next_attempt_at
        limit greatest(0, case when webhook_receivers.failures >= ${failuresThatOpen} then 1 else ${mostOfReceiver}::int end
          - coalesce(of_receivers.under_way, 0))
        for update skip locked
      ) as own
      where heads.next_attempt_at <= now() and (open_until is null or open_until <= now())
        and coalesce(of_users.under_way, 0) < ${mostOfUser}
    ),
    taken as (select id, failures from due where of_user <= ${mostOfUser} limit ${limit})
    update webhook_deliveries as delivery set
      attempts = ${interrupted} || jsonb_build_object('at', now(), 'status', null, 'error', null, 'answer', null, 'ms', null),
      claim_token = ${token}, claimed_at = now(), tries = tries + 1,
      next_attempt_at = now() + ${leaseMs} * interval '1 millisecond'
    from taken where delivery.id = taken.id
    returning delivery.*, taken.failures`.execute(db);
  return rows;
}

export interface Settlement {
  attempt: WebhookAttempt;
  status: WebhookDeliveryStatus;
  /** Of a message that is tried again. */
  nextInMs: number | null;
}

/** Writes what came of a try in its place in the log, unless somebody else has claimed it since. */
export async function settleDelivery(
  db: Db,
  { id, claim_token }: Pick<ClaimedDelivery, 'id' | 'claim_token'>,
  { attempt, status, nextInMs }: Settlement,
): Promise<void> {
  await sql`
    update webhook_deliveries set
      attempts = jsonb_set(attempts, '{-1}', ${JSON.stringify(attempt)}::jsonb), status = ${status}, claim_token = null, claimed_at = null,
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
    // Those under way are settled by what they bring.
    .where('claim_token', 'is', null)
    .execute();
}

/** A receiver that is left alone is tried with what comes next: its user wants that, and how often it failed stays. */
export async function askReceiverNow(
  db: Db,
  { user_id: userId, receiver }: Pick<WebhookDeliveryRow, 'user_id' | 'receiver'>,
): Promise<void> {
  await db
    .updateTable('webhook_receivers')
    .set({ open_until: null })
    .where('user_id', '=', userId)
    .where('receiver', '=', receiver)
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

/**
 * A receiver has not answered: from the third time on it is left alone, twice as long each time. Then several tries that
 * were under way together are one: they began before anybody knew.
 */
export async function countFailure(
  db: Db,
  {
    user_id: userId,
    receiver,
    claimed_at: claimedAt,
  }: Pick<ClaimedDelivery, 'user_id' | 'receiver' | 'claimed_at'>,
): Promise<void> {
  const { least, most } = openSeconds;
  const seconds = sql`least(${most}::float8, ${least} * 2 ^ least(20, failed.failures - ${failuresThatOpen - 1}))`;
  await sql`
    insert into webhook_receivers as failed (user_id, receiver, failures) values (${userId}, ${receiver}, 1)
    on conflict (user_id, receiver) do update set
      failures = failed.failures + 1,
      failed_at = now(),
      open_until = case when failed.failures + 1 >= ${failuresThatOpen}
        then now() + ${seconds} * (0.75 + random() / 2) * interval '1 second' end
    where failed.failures < ${failuresThatOpen} or failed.failed_at < ${claimedAt}`.execute(db);
}
