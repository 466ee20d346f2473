import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../db/client.ts';
import { prepare } from '../db/prepared.ts';
import type { JobRow } from '../db/tables.ts';

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

const turns = prepare<Ringable, string>(
  'take-turns',
  ({ rows }) => sql<Ringable>`
    with room as materialized (
      select user_id, rung, ${concurrencyOf(sql`owner.user_id`)} - rung as places
      -- In one order, so that no two statements wait for each other.
      from (
        select distinct user_id from ${rows('owner', { user_id: ['uuid', (userId) => userId] })} order by user_id
      ) as owner, live_jobs_of(owner.user_id, 0)
    ),
    next as (
      select line.id, room.rung,
        row_number() over (partition by room.user_id order by line.root_id, line.id) as place
      from room cross join lateral (
        select id, coalesce(root_id, id) as root_id from jobs
        where user_id = room.user_id and rung_at is null and status = 'queued'
        order by coalesce(root_id, id), id
        limit greatest(0, room.places)
        for update skip locked
      ) as line
    )
    update jobs set rung_at = now() from next
    where jobs.id = next.id and jobs.rung_at is null
      -- Turns that a crash of Postgres forgets are found again: their commit need not wait for the disk.
      and (select set_config('synchronous_commit', 'off', true)) = 'off'
    returning jobs.id, queue, generation, run_at, crashes, (next.rung + next.place - 1)::int as priority`,
);

/**
 * Marks the next of each user's rows as rung, as many as the user's bound leaves room for: first the parts of the
 * oldest request, so that what was begun is finished.
 * @param userIds one or more, also the same one several times.
 * @returns what is to be rung.
 */
export async function takeTurns(db: Db, userIds: readonly string[]): Promise<Ringable[]> {
  return userIds.length === 0 ? [] : await turns(db, userIds);
}

/** Whether rows of a user wait for their turn. */
export const hasLine = (userId: RawBuilder<unknown>) =>
  sql<boolean>`exists (select from jobs where user_id = ${userId} and rung_at is null and status = 'queued')`;

/** Users with rows that nobody has rung for, others each time where there are more: not each of them has room. */
export async function listUsersInLine(db: Db, limit: number): Promise<string[]> {
  const { rows } = await sql<{ user_id: string }>`
    select user_id from (select distinct user_id from jobs where rung_at is null and status = 'queued') as in_line
    order by random() limit ${limit}`.execute(db);
  return rows.map((row) => row.user_id);
}
