import { type Kysely, sql } from 'kysely';

/**
 * A user's jobs that workers were told of, and those that have not ended, counted up to `bound`. Who asks waits for
 * the commits of those who asked before for the same user, and sees what they have inserted: a volatile function has
 * a snapshot of its own, which a part of the inserting statement has not.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function live_jobs_of(owner uuid, bound int, out rung int, out pending bigint) language plpgsql volatile as $$
    begin
      perform pg_advisory_xact_lock(hashtextextended(owner::text, 7251003));
      select count(*)::int into rung from jobs
      where user_id = owner and rung_at is not null and status in ('queued', 'running');
      select count(*) into pending from (
        select from jobs
        where user_id = owner and parent_id is null and status in ('queued', 'running', 'waiting')
        limit bound
      ) as live;
    end $$`.execute(db);
}
