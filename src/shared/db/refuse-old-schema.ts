import { sql } from 'kysely';
import { ConfigError } from '../config.ts';
import type { Db } from './client.ts';
import { listKnownMigrations } from './migrate.ts';

/** No such table, and one that this role may not read: then who started it has to know. */
const [undefinedTable, insufficientPrivilege] = ['42P01', '42501'];

/** @throws ConfigError where the database lacks migrations of this version. */
export async function refuseOldSchema(db: Db): Promise<void> {
  const applied = await sql<{ name: string }>`select name from kysely_migration`.execute(db).then(
    ({ rows }) => rows,
    (error: Error & { code?: string }) => {
      if (error.code === undefinedTable) return [];
      if (error.code === insufficientPrivilege) return null;
      throw error;
    },
  );
  if (applied === null) return;
  const names = new Set(applied.map(({ name }) => name));
  const missing = (await listKnownMigrations()).filter((name) => !names.has(name));
  if (missing.length === 0) return;
  throw new ConfigError([
    `The database of DATABASE_URL lacks migrations of this version (${missing.join(', ')}). Run \`npm run migrate\` first`,
  ]);
}
