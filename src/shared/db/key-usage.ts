import { sql } from 'kysely';
import type { Db } from './client.ts';

export interface UsageIncrement {
  keyId: string;
  userId: string;
  allowanceId: string;
  operation: string;
  /** Milliseconds since the epoch. */
  at: number;
  count: number;
}

const cursorLock = 7_251_002;

/** The cursor, locked until the transaction ends; undefined when another process is flushing the stream. */
export async function lockUsageCursor(trx: Db): Promise<string | undefined> {
  const { rows } = await sql<{
    got: boolean;
  }>`select pg_try_advisory_xact_lock(${cursorLock}) as got`.execute(trx);
  if (!rows[0]?.got) return undefined;
  const { stream_id } = await trx.selectFrom('usage_cursor').select('stream_id').executeTakeFirstOrThrow();
  return stream_id;
}

/** In the order of the ids, as every change of many keys has it: else two could wait for each other. */
async function addToKeys(trx: Db, increments: readonly UsageIncrement[]): Promise<void> {
  const byKey = [...Map.groupBy(increments, (use) => use.keyId)].map(([id, uses]) => ({
    id,
    count: uses.reduce((sum, use) => sum + use.count, 0),
    last: new Date(Math.max(...uses.map((use) => use.at))),
  }));
  await sql`
    with sums as (
      select * from unnest(
        ${byKey.map(({ id }) => id)}::uuid[],
        ${byKey.map(({ count }) => count)}::bigint[],
        ${byKey.map(({ last }) => last)}::timestamptz[]
      ) as sums (id, count, last)
    ), locked as (
      select id from api_keys where id in (select id from sums) order by id for no key update
    )
    update api_keys
    set usage_count = usage_count + sums.count, last_used_at = greatest(last_used_at, sums.last)
    from sums join locked on locked.id = sums.id
    where api_keys.id = sums.id`.execute(trx);
}

/** Adds to the record and moves the cursor: in one transaction, so that no use is counted twice. */
export async function recordUsage(
  trx: Db,
  increments: readonly UsageIncrement[],
  streamId: string,
): Promise<void> {
  const rows = Map.groupBy(
    increments,
    (use) => `${use.keyId} ${Math.floor(use.at / 60_000)} ${use.operation}`,
  );
  const sums = [...rows.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    return [
      {
        key_id: first.keyId,
        user_id: first.userId,
        allowance_id: first.allowanceId,
        operation: first.operation,
        minute: new Date(Math.floor(first.at / 60_000) * 60_000),
        count: group.reduce((sum, use) => sum + use.count, 0),
      },
    ];
  });
  // A user may have been deleted since: their uses are dropped, everyone else's are kept.
  const users = await trx
    .selectFrom('users')
    .select('id')
    .where('id', 'in', [...new Set(sums.map((sum) => sum.user_id))])
    .execute();
  const known = new Set(users.map((user) => user.id));
  const kept = sums.filter((sum) => known.has(sum.user_id));
  if (kept.length > 0) {
    await trx
      .insertInto('key_usage')
      .values(kept)
      .onConflict((conflict) =>
        conflict.columns(['key_id', 'minute', 'operation']).doUpdateSet((eb) => ({
          count: sql<number>`key_usage.count + ${eb.ref('excluded.count')}`,
        })),
      )
      .execute();
  }
  await addToKeys(trx, increments);
  await trx.updateTable('usage_cursor').set({ stream_id: streamId }).execute();
}

/** Records that a counted request's job failed, in the minute of the request. */
export async function recordFailure(trx: Db, jobId: string): Promise<void> {
  await trx
    .insertInto('key_usage')
    .columns(['key_id', 'minute', 'operation', 'user_id', 'allowance_id', 'count', 'errors'])
    .expression((eb) =>
      eb
        .selectFrom('jobs')
        .innerJoin('api_keys', 'api_keys.id', 'jobs.key_id')
        .select([
          'api_keys.id',
          sql<Date>`date_trunc('minute', jobs.created_at)`.as('minute'),
          'jobs.operation',
          'jobs.user_id',
          'api_keys.allowance_id',
          sql<number>`0`.as('count'),
          sql<number>`1`.as('errors'),
        ])
        .where('jobs.id', '=', jobId)
        .where('jobs.parent_id', 'is', null),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['key_id', 'minute', 'operation'])
        .doUpdateSet({ errors: sql<number>`key_usage.errors + 1` }),
    )
    .execute();
}

export interface KeyUsage {
  /** Oldest first, UTC, without gaps; the last one is today. */
  daily: { date: string; count: number }[];
  byOperation: { operation: string; count: number; errors: number }[];
}

/** Of today and the `days - 1` days before it. */
export async function getKeyUsage(db: Db, keyId: string, days: number): Promise<KeyUsage> {
  const today = sql`date_trunc('day', now() at time zone 'UTC')`;
  const first = sql`${today} - ${days - 1} * interval '1 day'`;
  const [daily, byOperation] = await Promise.all([
    sql<KeyUsage['daily'][number]>`
      select to_char(day, 'YYYY-MM-DD') as date, coalesce(sum(key_usage.count), 0)::int as count
      from generate_series(${first}, ${today}, interval '1 day') as day
      left join key_usage on key_id = ${keyId}
        and minute >= day at time zone 'UTC' and minute < (day + interval '1 day') at time zone 'UTC'
      group by day order by day`.execute(db),
    sql<KeyUsage['byOperation'][number]>`
      select operation, sum(count)::int as count, sum(errors)::int as errors
      from key_usage where key_id = ${keyId} and minute >= (${first}) at time zone 'UTC'
      group by operation having sum(count) > 0 or sum(errors) > 0 order by operation`.execute(db),
  ]);
  return { daily: daily.rows, byOperation: byOperation.rows };
}

export interface UserUsage {
  today: number;
  last30Days: number;
  byOperation: { operation: string; count: number; errors: number }[];
}

export async function getUserUsage(db: Db, userId: string): Promise<UserUsage> {
  const rows = await db
    .selectFrom('key_usage')
    .select((eb) => [
      'operation',
      sql<number>`coalesce(sum(count) filter (where minute >= date_trunc('day', now(), 'UTC')), 0)::int`.as(
        'today',
      ),
      sql<number>`sum(count)::int`.as('count'),
      sql<number>`${eb.fn.sum('errors')}::int`.as('errors'),
    ])
    .where('user_id', '=', userId)
    .where('minute', '>=', sql<Date>`date_trunc('day', now(), 'UTC') - interval '29 days'`)
    .groupBy('operation')
    .orderBy('operation')
    .execute();
  return {
    today: rows.reduce((sum, row) => sum + row.today, 0),
    last30Days: rows.reduce((sum, row) => sum + row.count, 0),
    byOperation: rows.map(({ operation, count, errors }) => ({ operation, count, errors })),
  };
}

const keptDays = 90;

/**
 * Deletes the record of uses that is older than any answer tells of (30 days), with a margin; a key's number of all
 * its uses is kept with the key. @returns how many, at most 500.
 */
export async function deleteOldUsage(db: Db): Promise<number> {
  const { rows } = await sql`
    delete from key_usage where (key_id, minute, operation) in (
      select key_id, minute, operation from key_usage
      where minute < now() - ${keptDays} * interval '1 day'
      limit 500 for update skip locked
    ) returning 1`.execute(db);
  return rows.length;
}
