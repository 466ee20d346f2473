import { type RawBuilder, sql } from 'kysely';
import { type Db, inTransaction, retryConflicts } from '../../db/client.ts';
import { discardFiles } from '../../db/files.ts';
import { idempotencyHours } from '../idempotency.ts';
import { writeEvents } from './write-events.ts';

/** Of one statement: long enough to be worth it, short beside what else the rows are needed for. */
const rowsAtOnce = 500;
/**
 * Of content, which a statement begins no more of: Postgres deletes a megabyte in some milliseconds, and the API
 * closes a connection that is silent for seconds.
 */
const bytesAtOnce = 100_000_000;

/** Makes tombstones of the rows of the CTE `due`, and deletes what they were asked and their results. */
const expireDue = sql`
  expired as (
    update jobs set
      status = 'expired', expires_at = least(expires_at, now()),
      input = '{}', error = null, result_blob_id = null, files = null, steps = null, warnings = null,
      progress = null, webhook = null,
      -- Of what was asked, headers and cookies among it: who has a guess could try it.
      input_hash = '',
      -- With a key it is needed until that is free again: forgetKeys.
      request_hash = case when idempotency_key is not null then request_hash end
    from due where jobs.id = due.id
    returning jobs.id, jobs.user_id, jobs.parent_id
  ),
  events as ${writeEvents('expired', 'expired')},
  deleted as (
    delete from blobs where id in (select result_blob_id from due)
  )
  select id from expired`;

/** As `expireDue` in a statement; the files of its rows are dead with that. @returns how many rows they were. */
async function expire(statement: RawBuilder<{ id: string }>, db: Db): Promise<number> {
  return await inTransaction(db, async (trx) => {
    const { rows } = await statement.execute(trx);
    const ids = rows.map(({ id }) => id);
    // By a statement of its own: the first one cannot see a thumbnail that was made while it waited for the job's row.
    if (ids.length > 0) await discardFiles(trx, ids);
    return ids.length;
  });
}

async function countOf(statement: RawBuilder<{ count: number }>, db: Db): Promise<number> {
  const { rows } = await retryConflicts(db, () => statement.execute(db));
  return rows[0]?.count ?? 0;
}

/** Those of a CTE with `bytes` that are deleted at once: at least one. */
const firstOf = (cte: string) => sql`
  select * from (
    select *, sum(bytes) over (order by id rows between unbounded preceding and 1 preceding) as before
    from ${sql.ref(cte)}
  ) as summed
  where coalesce(before, 0) < ${bytesAtOnce}`;

/** Deletes the content of results past their time; the rows stay as `expired`. @returns how many, at most 500. */
export async function expireResults(db: Db): Promise<number> {
  return await expire(
    sql`
      with past as (
        select id, result_blob_id from jobs
        where expires_at <= now() and status in ('succeeded', 'failed', 'canceled')
        order by expires_at limit ${rowsAtOnce}
        for update skip locked
      ),
      sized as (
        select *, (
          select size_bytes from blobs where blobs.id = past.result_blob_id
        ) as bytes
        from past
      ),
      due as (${firstOf('sized')}),
      ${expireDue}`,
    db,
  );
}

/** Of a result that is not stored: longer than its children are kept without it. */
const childrenWithinHours = 3;

/** Children of results that are gone are past their time too, for `expireResults`. @returns how many, at most 500. */
export async function expireChildren(db: Db): Promise<number> {
  return await countOf(
    sql`
      with due as (
        select child.id from jobs as child join jobs as parent on child.parent_id = parent.id
        where parent.status = 'expired' and parent.expires_at > now() - ${childrenWithinHours} * interval '1 hour'
          and child.expires_at > now()
          and child.status in ('succeeded', 'failed', 'canceled')
        limit ${rowsAtOnce}
        for update of child skip locked
      ),
      ended as (
        update jobs set expires_at = now() from due where jobs.id = due.id returning 1
      )
      select count(*)::int as count from ended`,
    db,
  );
}

/**
 * Deletes the content of one ended job and of all that it was made of, at once; the rows stay as `expired`. A
 * canceled job has no content: it stays what it is.
 */
export async function deleteResult(db: Db, id: string): Promise<void> {
  await expire(
    sql`
      with recursive tree as (
        select id from jobs where id = ${id}
        union all
        select jobs.id from jobs join tree on jobs.parent_id = tree.id
      ),
      due as (
        select id, result_blob_id from jobs
        where id in (select id from tree) and status in ('succeeded', 'failed')
        order by id
        for update
      ),
      ${expireDue}`,
    db,
  );
}

/**
 * Of what is expired, clears the idempotency keys that are free again, with the hashes of what was asked.
 * @returns how many, at most 500.
 */
export async function forgetKeys(db: Db): Promise<number> {
  return await countOf(
    sql`
      with due as (
        select id from jobs
        -- As the index jobs_remembered has it.
        where status = 'expired' and (idempotency_key is not null or request_hash is not null or input_hash <> '')
          and created_at < now() - ${idempotencyHours} * interval '1 hour'
        order by created_at limit ${rowsAtOnce}
        for update skip locked
      ),
      forgotten as (
        update jobs set input_hash = '', request_hash = null, idempotency_key = null
        from due where jobs.id = due.id returning 1
      )
      select count(*)::int as count from forgotten`,
    db,
  );
}

/** Deletes the rows of results that expired 90 days ago. @returns how many, at most 500. */
export async function deleteTombstones(db: Db): Promise<number> {
  return await countOf(
    sql`
      with deleted as (
        delete from jobs where id in (
          select id from jobs
          where status = 'expired' and expires_at < now() - interval '90 days'
          order by expires_at limit ${rowsAtOnce}
          for update skip locked
        )
        returning id, user_id, parent_id
      ),
      events as ${writeEvents('deleted', 'deleted')}
      select count(*)::int as count from deleted`,
    db,
  );
}
