import { type RawBuilder, sql } from 'kysely';
import type { Db } from './client.ts';
import type { JobRow } from './tables.ts';

/** What is needed to ring for a row. */
export type Ringable = Pick<JobRow, 'id' | 'queue' | 'generation' | 'run_at' | 'crashes'> & {
  /** Rows of the same user that were rung before it: the more, the later it comes. Default 0, the first. */
  priority?: number;
};

/** Of a user whose license is gone, whose keys go on working. */
const concurrencyWithoutLicense = 2;

/** How many of a user's rows may be rung at a time. */
export function concurrencyOf(userId: string): RawBuilder<number> {
  return sql<number>`coalesce((select max_concurrent_jobs from licenses where user_id = ${userId}), ${concurrencyWithoutLicense})`;
}

/** A CTE with one row, `count`: the user's rows that workers know of. A waiting parent takes no turn. */
export function rungRowsOf(userId: string): RawBuilder<{ count: number }> {
  return sql<{ count: number }>`(
    select count(*)::int as count from jobs
    where user_id = ${userId} and rung_at is not null and status in ('queued', 'running')
  )`;
}

/**
 * Marks the next of a user's rows as rung, as many as the user's bound leaves room for, the oldest first.
 * Ends at the same time may ring one too many; the bound is fairness, not safety.
 */
export async function takeTurns(db: Db, userId: string): Promise<Ringable[]> {
  const { rows } = await sql<Ringable & { priority: number }>`
    with rung as ${rungRowsOf(userId)},
    next as (
      select id from jobs
      where user_id = ${userId} and rung_at is null and status = 'queued'
      order by id
      limit greatest(0, ${concurrencyOf(userId)} - (select count from rung))
      for update skip locked
    )
    update jobs set rung_at = now() from next where jobs.id = next.id
    returning jobs.id, queue, generation, run_at, crashes, (select count from rung) as priority`.execute(db);
  return rows.map((row, index) => ({ ...row, priority: row.priority + index }));
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
