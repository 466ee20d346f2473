import { type Kysely, sql } from 'kysely';

/** Files to be deleted are found by an index, however many are kept: the end of a job marks those that it leaves. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    update files set state = 'replaced'
    where state = 'complete' and not exists (
      select from jobs
      where jobs.id = files.job_id and jobs.status in ('queued', 'running', 'waiting', 'succeeded')
    )`.execute(db);
  await sql`create index files_not_complete on files (store) where state <> 'complete'`.execute(db);
}
