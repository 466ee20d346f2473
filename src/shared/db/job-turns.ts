import { type RawBuilder, sql } from 'kysely';
import type { Db } from './client.ts';
import type { JobRow } from './tables.ts';

/** What is needed to ring for a row. */
export type Ringable = Pick<JobRow, 'id' | 'queue' | 'generation' | 'run_at' | 'crashes'> & {
  /** Rows of the same user that were rung before it: the more, the later it comes. Default 0, the first. */
  priority?: number;
};

export const ringColumns = ['id', 'queue', 'generation', 'run_at', 'crashes'] as const;

/** Of a user whose license is gone, whose keys go on working. */
const concurrencyWithoutLicense = 2;

/**
 * A status that rows found by their ids must have. Behind a select it does not tempt Postgres to find them by an
 * index of all rows of that status, of which there may be thousands, dead ones among them.
 */
export const statusIs = (status: JobRow['status']) => sql<boolean>`jobs.status = (select ${sql.lit(status)})`;

/** How many of a user's rows may be rung at a time. */
export function concurrencyOf(userId: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`coalesce((select max_concurrent_jobs from licenses where user_id = ${userId}), ${concurrencyWithoutLicense})`;
}

/** The user's rows that workers know of. A waiting parent takes no turn. */
function rungCount(userId: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`(
    select count(*)::int from jobs where user_id = ${userId} and rung_at is not null and status in ('queued', 'running')
  )`;
}

/**
 * CTEs `next` and `turns_taken` behind one named `freed`, of `user_id` and `count`: the turns that its users have
 * to give beyond what the rows themselves show. They mark the next of each user's rows as rung, as many as the
 * user's bound leaves room for: first the parts of the oldest request, so that what was begun is finished. Ends at
 * the same time take different rows, without waiting for each other.
 */
export const takeTurnsCtes = sql`
  next as (
    select line.id, freed.user_id, room.rung,
      row_number() over (partition by freed.user_id order by line.root_id, line.id) as place
    from freed
    cross join lateral (select ${rungCount(sql`freed.user_id`)} - freed.count as rung) as room
    cross join lateral (
      select id, coalesce(root_id, id) as root_id from jobs
      where user_id = freed.user_id and rung_at is null and status = 'queued'
      order by coalesce(root_id, id), id
      limit greatest(0, ${concurrencyOf(sql`freed.user_id`)} - room.rung)
      for update skip locked
    ) as line
  ),
  turns_taken as (
    update jobs set rung_at = now() from next where jobs.id = next.id and jobs.rung_at is null
    returning jobs.id, queue, generation, run_at, crashes, (next.rung + next.place - 1)::int as priority
  )`;

/** Rings the next of a user's rows, where it is their turn. */
export async function takeTurns(db: Db, userId: string): Promise<Ringable[]> {
  const { rows } = await sql<Ringable>`
    with freed as (select ${userId}::uuid as user_id, 0 as count), ${takeTurnsCtes}
    select * from turns_taken`.execute(db);
  return rows;
}

/** Users with rows that nobody has rung for. */
export async function listUsersInLine(db: Db, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('jobs')
    .select('user_id')
    .distinct()
    .where('rung_at', 'is', null)
    .where('status', '=', 'queued')
    .limit(limit)
    .execute();
  return rows.map((row) => row.user_id);
}
