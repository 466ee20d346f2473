import { type Kysely, sql } from 'kysely';

/** The second window: what all keys of a user may use together. Until a license says else, as much as its keys may. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const statements = [
    sql`alter table licenses add column user_rate_limit integer check (user_rate_limit > 0)`,
    sql`update licenses set user_rate_limit = least(rate_limit::bigint * max_keys, 2147483647)`,
    sql`alter table licenses alter column user_rate_limit set not null`,
    // Kept with the key, as its own rate limit is: both outlive the license, and are read in one look-up.
    sql`alter table api_keys add column user_rate_limit integer check (user_rate_limit > 0)`,
    sql`update api_keys set user_rate_limit = coalesce(
      (select user_rate_limit from licenses where licenses.user_id = api_keys.user_id), rate_limit)`,
    sql`alter table api_keys alter column user_rate_limit set not null`,
  ];
  for (const statement of statements) await statement.execute(db);
}
