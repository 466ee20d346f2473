import { type Kysely, sql } from 'kysely';

/** Messages are listed in the order in which they were made; and what the deletion of old rows looks for. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const statements = [
    sql`create index webhook_deliveries_made on webhook_deliveries (user_id, created_at, id)`,
    sql`drop index webhook_deliveries_user`,
    sql`create index webhook_receivers_age on webhook_receivers (failed_at)`,
    sql`create index webhook_secrets_retiring on webhook_secrets (retires_at) where retires_at is not null`,
  ];
  for (const statement of statements) await statement.execute(db);
}
