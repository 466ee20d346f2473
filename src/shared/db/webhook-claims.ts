import { type RawBuilder, sql } from 'kysely';
import type { Db } from './client.ts';
import type { WebhookAttempt, WebhookDeliveryRow, WebhookDeliveryStatus } from './tables.ts';

/** Failures in a row without an answer after which a receiver is asked one message at a time, and seldom. */
const failuresThatOpen = 3;
const openSeconds = { least: 5, most: 300 };
/** The attempts, where the last one was claimed and never settled. */
const interrupted = sql`
  case when claim_token is null then attempts else jsonb_set(attempts, '{-1,error}', '"interrupted"') end`;
/** The last ten have their answers: a page of a hundred messages lists all of their attempts. */
const lastAnswers = (attempts: RawBuilder<unknown>) =>
  sql`jsonb_set(${attempts}, '{-11,answer}', 'null', false)`;

export interface ClaimedDelivery extends WebhookDeliveryRow {
  claim_token: string;
  /** When this attempt began, as the log tells it. */
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
  /** By user: the receiver that the last poll reached, where more come after it. Kept up by each poll. */
  polledUpTo: Map<string, string>;
}

/** Of one user in one poll; the next goes on after them. */
const receiversAtOnce = 256;

interface Candidates {
  userId: string;
  /** Null where the last receiver has been polled. */
  polledUpTo: string | null;
  /** What is due, the first that were due before the others. */
  due: { id: string; failures: number }[];
}

/**
 * What is due, of each user with free capacity: by receiver, from the first of each, so that it costs the same however many wait
 * for one that does not answer. Nothing is locked.
 */
async function findCandidates(db: Db, options: ClaimOptions): Promise<Candidates[]> {
  const { ofReceivers, ofUsers, mostOfReceiver, mostOfUser, polledUpTo } = options;
  const { rows } = await sql<Candidates>`
    with recursive users as (
      (select user_id from webhook_deliveries where status = 'pending' order by user_id limit 1)
      union all
      select next.user_id from users cross join lateral (
        select user_id from webhook_deliveries where status = 'pending' and user_id > users.user_id order by user_id limit 1
      ) as next
    ),
    of_receivers as materialized (
      select * from unnest(${[...ofReceivers.keys()]}::text[], ${[...ofReceivers.values()]}::int[]) as it (name, under_way)
    ),
    of_users as (
      select * from unnest(${[...ofUsers.keys()]}::uuid[], ${[...ofUsers.values()]}::int[]) as it (user_id, under_way)
    ),
    polled as (
      select * from unnest(${[...polledUpTo.keys()]}::uuid[], ${[...polledUpTo.values()]}::text[]) as it (user_id, receiver)
    )
    select users.user_id as "userId", found."polledUpTo", found.due
    from users left join of_users using (user_id) left join polled using (user_id)
    cross join lateral (
      with recursive walk as (
        (
          select receiver, 1 as nth from webhook_deliveries
          where status = 'pending' and user_id = users.user_id and receiver > coalesce(polled.receiver, '')
          order by receiver limit 1
        )
        union all
        select next.receiver, walk.nth + 1 from walk cross join lateral (
          select receiver from webhook_deliveries
          where status = 'pending' and user_id = users.user_id and receiver > walk.receiver
          order by receiver limit 1
        ) as next
        where walk.nth < ${receiversAtOnce}
      ),
      due as (
        select own.id, own.place, coalesce(known.failures, 0) as failures
        from walk
        left join webhook_receivers as known on known.user_id = users.user_id and known.receiver = walk.receiver
        left join of_receivers on of_receivers.name = users.user_id || ' ' || walk.receiver
        cross join lateral (
          select id, next_attempt_at as place from webhook_deliveries
          where status = 'pending' and user_id = users.user_id and receiver = walk.receiver and next_attempt_at <= now()
          order by next_attempt_at
          limit greatest(0, case when known.failures >= ${failuresThatOpen} then 1 else ${mostOfReceiver}::int end
            - coalesce(of_receivers.under_way, 0))
        ) as own
        where known.open_until is null or known.open_until <= now()
        order by own.place, walk.receiver
        limit ${mostOfUser} - coalesce(of_users.under_way, 0)
      )
      select (select receiver from walk where nth = ${receiversAtOnce}) as "polledUpTo",
        (select coalesce(json_agg(json_build_object('id', id, 'failures', failures) order by place), '[]') from due) as due
    ) as found
    where coalesce(of_users.under_way, 0) < ${mostOfUser}`.execute(db);
  return rows;
}

/** Most polls find nothing; to plan `findCandidates` takes longer than to run it. */
async function isAnyPending(db: Db): Promise<boolean> {
  const { rows } = await sql`
    select from webhook_deliveries where status = 'pending' order by user_id limit 1`.execute(db);
  return rows.length > 0;
}

/**
 * Takes messages that are due. The attempt is in the list before it is sent, without an answer; of one that was
 * never settled nobody knows the answer, and it stays there as `interrupted`.
 */
export async function claimDeliveries(db: Db, options: ClaimOptions): Promise<ClaimedDelivery[]> {
  const candidates = (await isAnyPending(db)) ? await findCandidates(db, options) : [];
  // Who was not polled has no free capacity, or nothing more.
  for (const userId of options.polledUpTo.keys()) {
    if (!options.ofUsers.has(userId)) options.polledUpTo.delete(userId);
  }
  for (const { userId, polledUpTo } of candidates) {
    if (polledUpTo === null) options.polledUpTo.delete(userId);
    else options.polledUpTo.set(userId, polledUpTo);
  }
  const chosen = candidates
    // The first of each user before the second of any, what they have under way counted.
    .flatMap(({ userId, due }) =>
      due.map((one, index) => ({ ...one, nth: (options.ofUsers.get(userId) ?? 0) + index })),
    )
    .toSorted((a, b) => a.nth - b.nth)
    .slice(0, options.limit);
  if (chosen.length === 0) return [];
  const failuresOf = new Map(chosen.map(({ id, failures }) => [id, failures]));
  const { rows } = await sql<Omit<ClaimedDelivery, 'failures'>>`
    with free as (
      select id from webhook_deliveries
      where id = any(${[...failuresOf.keys()]}::uuid[]) and status = 'pending' and next_attempt_at <= now()
      for update skip locked
    )
    update webhook_deliveries as delivery set
      attempts = ${lastAnswers(sql`(${interrupted} || jsonb_build_object('at', now(), 'status', null, 'error', null, 'answer', null, 'ms', null))`)},
      claim_token = ${options.token}, claimed_at = now(), tries = tries + 1,
      next_attempt_at = now() + ${options.leaseMs} * interval '1 millisecond'
    from free where delivery.id = free.id
    returning delivery.*`.execute(db);
  return rows.map((row) => ({ ...row, failures: failuresOf.get(row.id) ?? 0 }));
}

export interface Settlement {
  attempt: WebhookAttempt;
  status: WebhookDeliveryStatus;
  /** Of a message that is tried again. */
  nextInMs: number | null;
}

/** Writes what came of an attempt in its place in the log, unless somebody else has claimed it since. */
export async function settleDelivery(
  db: Db,
  { id, claim_token }: Pick<ClaimedDelivery, 'id' | 'claim_token'>,
  { attempt, status, nextInMs }: Settlement,
): Promise<void> {
  await sql`
    update webhook_deliveries set
      attempts = ${lastAnswers(sql`jsonb_set(attempts, '{-1}', ${JSON.stringify(attempt)}::jsonb)`)},
      status = ${status}, claim_token = null, claimed_at = null,
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
 * A receiver has not answered: from the third time on it is left alone, twice as long each time. Then several attempts that
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
