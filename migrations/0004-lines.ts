import { type Kysely, sql } from 'kysely';

/** Parts of a job stand in their user's line where the job itself stood, not behind what was asked for later. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const statements = [
    sql`alter table jobs add column root_id uuid`,
    sql`drop index jobs_unrung`,
    sql`
      create index jobs_unrung on jobs (user_id, coalesce(root_id, id), id)
      where rung_at is null and status = 'queued'`,
  ];
  for (const statement of statements) await statement.execute(db);
}
