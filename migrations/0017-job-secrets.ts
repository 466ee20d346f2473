import { type Kysely, sql } from 'kysely';

/** What a job was given for its target alone (headers, cookies) is sealed, beside its input, while it lives. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const statements = [
    sql`alter table jobs add column secrets bytea`,
    sql`
      update jobs set input = '{}' where status = 'expired'`,
    sql`
      update jobs set input = (input::jsonb - 'headers' - 'cookies')::json
      where status in ('succeeded', 'failed', 'canceled')
        and (input::jsonb -> 'headers' is not null or input::jsonb -> 'cookies' is not null)`,
  ];
  for (const statement of statements) await statement.execute(db);
}
