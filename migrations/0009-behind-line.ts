import { type Kysely, sql } from 'kysely';

/** As before, and whether rows of the user wait for their turn: who comes now must not pass them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop function live_jobs_of`.execute(db);
  await sql`
    create function live_jobs_of(owner uuid, bound int, out rung int, out pending bigint, out has_line boolean)
    language plpgsql volatile as $$
    begin
      perform pg_advisory_xact_lock(hashtextextended(owner::text, 7251003));
      select count(*)::int into rung from jobs
      where user_id = owner and rung_at is not null and status in ('queued', 'running');
      select count(*) into pending from (
        select from jobs
        where user_id = owner and parent_id is null and status in ('queued', 'running', 'waiting')
        limit bound
      ) as live;
      has_line := exists (select from jobs where user_id = owner and rung_at is null and status = 'queued');
    end $$`.execute(db);
}
