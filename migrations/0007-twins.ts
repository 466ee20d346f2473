import { type Kysely, sql } from 'kysely';

/** At most one live job of each GET of a user: whoever comes second, in whatever process, joins it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const statements = [
    // Of keys that are free again.
    sql`update jobs set request_hash = null where idempotency_key is null and request_hash is not null`,
    sql`
      create unique index jobs_twins on jobs (user_id, request_hash)
      where idempotency_key is null and request_hash is not null and status in ('queued', 'running', 'waiting')`,
  ];
  for (const statement of statements) await statement.execute(db);
}
