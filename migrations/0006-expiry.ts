import { type Kysely, sql } from 'kysely';

/** Results that are due, apart from the 90 days of tombstones that every look at them would have to pass. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const statements = [
    sql`drop index jobs_expiry`,
    sql`create index jobs_expiry on jobs (expires_at) where status in ('succeeded', 'failed', 'canceled')`,
    sql`create index jobs_tombstones on jobs (expires_at) where status = 'expired'`,
  ];
  for (const statement of statements) await statement.execute(db);
}
