import { type Kysely, sql } from 'kysely';

/** Names of the dispatch of jobs and of the backlog as the code has them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table jobs rename column rung_at to dispatched_at`.execute(db);
  await sql`alter index jobs_rung rename to jobs_dispatched`.execute(db);
  await sql`alter index jobs_unrung rename to jobs_backlog`.execute(db);
  await sql`drop function live_jobs_of`.execute(db);
  // A volatile function has a snapshot of its own: behind the lock it sees what others have inserted meanwhile.
  await sql`
    create function live_jobs_of(
      owner uuid, bound int, out dispatched int, out pending bigint, out has_backlog boolean
    )
    language plpgsql volatile as $$
    begin
      perform pg_advisory_xact_lock(hashtextextended(owner::text, 7251003));
      select count(*)::int into dispatched from jobs
      where user_id = owner and dispatched_at is not null and status in ('queued', 'running');
      select count(*) into pending from (
        select from jobs
        where user_id = owner and parent_id is null and status in ('queued', 'running', 'waiting')
        limit bound
      ) as live;
      has_backlog := exists (select from jobs where user_id = owner and dispatched_at is null and status = 'queued');
    end $$`.execute(db);
}
