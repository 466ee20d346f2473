import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../db/client.ts';
import { prepare } from '../db/prepared.ts';
import type { JobRow } from '../db/tables.ts';

/** What is needed to dispatch a row. */
export type Dispatchable = Pick<JobRow, 'id' | 'queue' | 'generation' | 'crashes'> & {
  /** Rows of the same user that were dispatched before it: the more, the later it comes. Default 0, the first. */
  priority?: number;
  /** Default 0. Not made of `run_at`, which is by the clock of Postgres. */
  delayMs?: number;
};

export const dispatchColumns = ['id', 'queue', 'generation', 'crashes'] as const;

/** Of a user whose license is gone, whose keys go on working. */
const concurrencyWithoutLicense = 2;

/**
 * A status that rows found by their ids must have. Behind a select it does not tempt Postgres to find them by an
 * index of all rows of that status, of which there may be thousands, dead ones among them.
 */
export const statusIs = (status: JobRow['status']) => sql<boolean>`jobs.status = (select ${sql.lit(status)})`;

/** How many of a user's rows may be dispatched at a time. */
export function concurrencyOf(userId: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`coalesce((select max_concurrent_jobs from licenses where user_id = ${userId}), ${concurrencyWithoutLicense})`;
}

/** The request itself, or a child of it: the children of such a child come first, since that has begun and its time runs. */
const isOwnChild = sql`(parent_id is null or parent_id = root_id)`;

const takeRows = prepare<Dispatchable, string>(
  'take-backlog',
  ({ rows }) => sql<Dispatchable>`
    with owners as materialized (
      select user_id, dispatched, ${concurrencyOf(sql`owner.user_id`)} - dispatched as free_slots
      -- In one order, so that no two statements wait for each other.
      from (
        select distinct user_id from ${rows('owner', { user_id: ['uuid', (userId) => userId] })} order by user_id
      ) as owner, live_jobs_of(owner.user_id, 0)
    ),
    next as (
      select backlog.id, owners.dispatched,
        row_number() over (
          partition by owners.user_id order by backlog.root_id, backlog.is_own_child, backlog.id
        ) as nth
      from owners cross join lateral (
        select id, coalesce(root_id, id) as root_id, ${isOwnChild} as is_own_child from jobs
        where user_id = owners.user_id and dispatched_at is null and status = 'queued'
        -- Sorted within a request only: its rows, and those before it, are as the index has them.
        order by coalesce(root_id, id), ${isOwnChild}, id
        limit greatest(0, owners.free_slots)
        for update skip locked
      ) as backlog
    )
    update jobs set dispatched_at = now() from next
    where jobs.id = next.id and jobs.dispatched_at is null
      -- What a crash of Postgres forgets of this is found again: their commit need not wait for the disk.
      and (select set_config('synchronous_commit', 'off', true)) = 'off'
    returning jobs.id, queue, generation, crashes, (next.dispatched + next.nth - 1)::int as priority`,
);

/**
 * Marks the next of each user's rows as dispatched, as many as the user has free slots: first the children of the
 * oldest request, and of these their own children, so that what was begun is finished.
 * @param userIds one or more, also the same one several times.
 * @returns what is to be dispatched.
 */
export async function takeBacklog(db: Db, userIds: readonly string[]): Promise<Dispatchable[]> {
  return userIds.length === 0 ? [] : await takeRows(db, userIds);
}

/** Whether a user has rows that are not dispatched yet. */
export const hasBacklog = (userId: RawBuilder<unknown>) =>
  sql<boolean>`exists (select from jobs where user_id = ${userId} and dispatched_at is null and status = 'queued')`;

/** Users with a backlog, others each time where there are more: not each of them has a free slot. */
export async function listUsersWithBacklog(db: Db, limit: number): Promise<string[]> {
  const { rows } = await sql<{ user_id: string }>`
    select user_id from (select distinct user_id from jobs where dispatched_at is null and status = 'queued') as waiting
    order by random() limit ${limit}`.execute(db);
  return rows.map((row) => row.user_id);
}
