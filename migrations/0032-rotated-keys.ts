import { type Kysely, sql } from 'kysely';

/** The deletion of a key looks for those that it took the place of. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index api_keys_rotated_to on api_keys (rotated_to_id) where rotated_to_id is not null`.execute(
    db,
  );
}
