import { type Kysely, sql } from 'kysely';

/** A row for each batch of a crawl's visits instead of one for each visit. Crawls under way begin again. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const statements = [
    sql`drop table crawl_visits`,
    sql`
      create table crawl_visits (
        job_id uuid not null references jobs on delete cascade,
        visits text not null
      )`,
    // Read at most once, after a crash: compressing them costs more than their space is worth.
    sql`alter table crawl_visits alter column visits set storage external`,
    sql`create index crawl_visits_job on crawl_visits (job_id)`,
  ];
  for (const statement of statements) await statement.execute(db);
}
