import { sql } from 'kysely';
import { acceptedLimitsOf } from '../../db/api-keys.ts';
import { type Db, retryConflicts } from '../../db/client.ts';
import { concurrencyOf, type Dispatchable } from '../backlog.ts';
import { type Column, prepare } from '../../db/prepared.ts';
import type { NewJobRow } from '../../db/tables.ts';
import type { Limits } from '../../usage/allowance.ts';
import { type JobChange, writeEvents } from './write-events.ts';

export interface NewJob {
  row: NewJobRow;
  /** The API key must still be accepted, and have these limits and rights; null: Postgres was asked for this request. */
  keyState: (Limits & { revision: number }) | null;
  /**
   * Its client waits, and is not told of the job before its end is committed, or `keepJobs` has answered. The insert
   * does not wait for the disk then: those do, and a crash of Postgres forgets what nobody was promised.
   */
  untold: boolean;
}

/**
 * What an insert came to: the row to dispatch, a row in its user's backlog, or none. `behindBacklog`: a slot is free
 * for it, but other rows of its user are in the backlog, and are about to be taken from it, or were (see `takeBacklog`).
 */
export type Inserted =
  | { outcome: 'inserted'; dispatch: Dispatchable | null; behindBacklog: boolean }
  | { outcome: 'full' }
  | { outcome: 'taken' }
  | { outcome: 'key_changed' };

interface Insertion extends NewJob {
  pendingBound: number;
}

type InsertedRow = Dispatchable & {
  dispatched_at: Date | null;
  inserted: boolean;
  key_holds: boolean;
  within_bound: boolean;
  behind_backlog: boolean;
};

const given = (type: string, name: keyof NewJobRow): Column<Insertion> => [
  type,
  ({ row }) => row[name] ?? null,
];

const columns = {
  id: given('uuid', 'id'),
  user_id: given('uuid', 'user_id'),
  key_id: given('uuid', 'key_id'),
  operation: given('text', 'operation'),
  queue: given('text', 'queue'),
  input: given('text', 'input'),
  secrets: given('bytea', 'secrets'),
  input_hash: given('bytea', 'input_hash'),
  timeout_ms: given('int', 'timeout_ms'),
  idempotency_key: given('text', 'idempotency_key'),
  request_hash: given('bytea', 'request_hash'),
  request_id: given('text', 'request_id'),
  trace_parent: given('text', 'trace_parent'),
  webhook: given('text', 'webhook'),
  key_limit: ['int', ({ keyState }) => keyState?.perKey ?? null],
  user_limit: ['int', ({ keyState }) => keyState?.perUser ?? null],
  key_revision: ['int', ({ keyState }) => keyState?.revision ?? null],
} satisfies Record<string, Column<Insertion>>;

const boundOf = (jobs: readonly Insertion[]) => String(jobs[0]?.pendingBound);
const areUntold = (jobs: readonly Insertion[]) => jobs.every(({ untold }) => untold);

const insertRows = prepare<InsertedRow, Insertion>(
  'insert-jobs',
  ({ rows }, jobs) => {
    // Written out, so that the plan is the same for all values, and kept.
    const bound = sql.raw(boundOf(jobs));
    return sql<InsertedRow>`
    with batch as (
      select *, row_number() over (partition by user_id order by place) as nth,
        case when key_limit is null then true
          else coalesce(array[key_limit, user_limit, key_revision] = ${acceptedLimitsOf(sql`new.key_id`)}, false) end as key_holds
      from ${rows('new', columns)}
      ${areUntold(jobs) ? sql`where (select set_config('synchronous_commit', 'off', true)) = 'off'` : sql``}
    ),
    users as materialized (
      select user_id, dispatched, pending, has_backlog, ${concurrencyOf(sql`batch.user_id`)} as slots
      -- In one order, so that no two statements wait for each other.
      from (select distinct user_id from batch order by user_id) as batch, live_jobs_of(batch.user_id, ${bound})
    ),
    inserted as (
      insert into jobs (id, user_id, key_id, operation, queue, input, secrets, input_hash, timeout_ms, idempotency_key,
        request_hash, request_id, trace_parent, webhook, dispatched_at)
      select id, user_id, key_id, operation, queue, input::json, secrets, input_hash, timeout_ms, idempotency_key,
        request_hash, request_id, trace_parent, webhook::json, case when dispatched + nth <= slots and not has_backlog then now() end
      from batch join users using (user_id)
      where key_holds and pending + nth <= ${bound}
      on conflict do nothing
      returning id, user_id, parent_id, queue, generation, crashes, dispatched_at
    ),
    events as ${writeEvents('inserted', 'accepted')}
    select batch.id, key_holds, pending + nth <= ${bound} as within_bound, inserted.id is not null as inserted,
      inserted.queue, generation, crashes, dispatched_at, (dispatched + nth - 1)::int as priority,
      has_backlog and dispatched < slots as behind_backlog
    from batch join users using (user_id) left join inserted using (id)
    order by place`;
  },
  (jobs) => `-${boundOf(jobs)}${areUntold(jobs) ? '-untold' : ''}`,
);

/**
 * Inserts jobs, as dispatched where their user has a free slot: the dispatch follows the commit at once, and the sweep
 * finds one that was lost. A row is not inserted where its user has `pendingBound` jobs that have not ended (`full`), or
 * where its idempotency key or, of a GET, its request has a job already (`taken`).
 */
export async function insertJobs(db: Db, jobs: readonly NewJob[], pendingBound: number): Promise<Inserted[]> {
  const rows = await insertRows(
    db,
    jobs.map((job) => ({ ...job, pendingBound })),
  );
  return rows.map(
    ({ key_holds, within_bound, behind_backlog: behindBacklog, inserted, dispatched_at, ...dispatch }) => {
      if (!key_holds) return { outcome: 'key_changed' };
      if (!within_bound) return { outcome: 'full' };
      if (!inserted) return { outcome: 'taken' };
      return { outcome: 'inserted', dispatch: dispatched_at === null ? null : dispatch, behindBacklog };
    },
  );
}

/**
 * Waits until rows that were inserted `untold` are on the disk: the commit of a message behind them takes them there.
 * @returns which are there: a crash of Postgres may have forgotten others.
 */
export async function keepJobs(db: Db, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with message as (select pg_logical_emit_message(true, 'quarry', ''))
    select id from jobs, message where id = any(${ids}::uuid[])`.execute(db);
  return rows.map(({ id }) => id);
}

/** Deletes rows that no worker has begun with. @returns which those were, and which have begun and not ended. */
export async function withdrawJobs(
  db: Db,
  ids: readonly string[],
): Promise<{ withdrawn: JobChange[]; begun: { id: string; input: unknown }[] }> {
  const { rows } = await retryConflicts(db, () =>
    sql<JobChange & { input: unknown; withdrawn: boolean }>`
    with due as (
      select id from jobs where id = any(${ids}::uuid[]) and status = 'queued' and attempts = 0
      order by id for update
    ),
    withdrawn as (
      delete from jobs using due where jobs.id = due.id returning jobs.id, jobs.user_id, jobs.parent_id
    ),
    events as ${writeEvents('withdrawn', 'deleted')}
    select id, user_id as "userId", null::json as input, true as withdrawn from withdrawn
    union all
    select id, user_id, input, false from jobs
    where id = any(${ids}::uuid[]) and status in ('queued', 'running', 'waiting') and id not in (select id from withdrawn)
  `.execute(db),
  );
  return {
    withdrawn: rows.filter((row) => row.withdrawn).map(({ id, userId }) => ({ id, userId })),
    begun: rows.filter((row) => !row.withdrawn).map(({ id, input }) => ({ id, input })),
  };
}
