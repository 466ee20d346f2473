import { type Kysely, sql } from 'kysely';

/**
 * Since when a message is tried: it is given up a day later, also where its receiver was left alone meanwhile. And when
 * a receiver has failed last: what was under way then tells nothing new.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const statements = [
    sql`alter table webhook_deliveries add column tried_since timestamptz not null default now()`,
    sql`create index webhook_deliveries_overdue on webhook_deliveries (tried_since) where status = 'pending'`,
    sql`alter table webhook_receivers add column failed_at timestamptz not null default now()`,
  ];
  for (const statement of statements) await statement.execute(db);
}
