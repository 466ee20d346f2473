import { type Kysely, sql } from 'kysely';

/** What still tells what was asked of results that are gone: few beside their 90 days of tombstones. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index jobs_remembered on jobs (created_at)
    where status = 'expired' and (idempotency_key is not null or request_hash is not null or input_hash <> '')`.execute(
    db,
  );
}
