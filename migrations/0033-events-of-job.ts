import { type Kysely, sql } from 'kysely';

/** A connection that listens to one job reads that job's events, not all of its user's. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index job_events_job on job_events (job_id, seq)`.execute(db);
}
