import { type Kysely, sql } from 'kysely';

/** What the deletion of old rows looks for. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const statements = [
    sql`create index link_index_pages_age on link_index_pages (last_seen_at)`,
    sql`create index link_index_links_age on link_index_links (last_seen_at)`,
    // Rows stand in the order of their minutes, so the small kind of index finds the old ones.
    sql`create index key_usage_age on key_usage using brin (minute)`,
  ];
  for (const statement of statements) await statement.execute(db);
}
