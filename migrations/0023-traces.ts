import { type Kysely, sql } from 'kysely';

/** The step of a trace that has asked for a job, so that its run is a part of the same trace. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table jobs add column trace_parent text`.execute(db);
}
