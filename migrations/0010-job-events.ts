import { type Kysely, sql } from 'kysely';

/** What has happened to jobs, in the order in which it happened to each of them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const statements = [
    // No reference to jobs or users: events outlive their job, are deleted by age, and none is checked at each insert.
    sql`
      create table job_events (
        seq bigint primary key generated always as identity,
        job_id uuid not null,
        user_id uuid not null,
        kind text not null check (kind in ('accepted', 'started', 'progress', 'parked', 'resumed', 'succeeded',
          'failed', 'canceled', 'expired', 'deleted')),
        at timestamptz not null default now()
      )`,
    sql`create index job_events_user on job_events (user_id, seq)`,
  ];
  for (const statement of statements) await statement.execute(db);
}
