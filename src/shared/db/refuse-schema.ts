import { sql } from 'kysely';
import { ConfigError } from '../config.ts';
import type { Db } from './client.ts';
import { listKnownMigrations } from './known-migrations.ts';

/** No such table, and one that this role may not read: then who started it has to know. */
const [undefinedTable, insufficientPrivilege] = ['42P01', '42501'];

/** In no order; null where the role may not read them. */
async function listAppliedMigrations(db: Db): Promise<string[] | null> {
  return await sql<{ name: string }>`select name from kysely_migration`.execute(db).then(
    ({ rows }) => rows.map(({ name }) => name),
    (error: Error & { code?: string }) => {
      if (error.code === undefinedTable) return [];
      if (error.code === insufficientPrivilege) return null;
      throw error;
    },
  );
}

const listOf = (names: readonly string[]) =>
  names.length > 3 ? `${names[0]} to ${names.at(-1)}, ${names.length} in all` : names.join(', ');

/** @throws ConfigError where the database lacks migrations of this version. */
export async function refuseOldSchema(db: Db): Promise<void> {
  const applied = await listAppliedMigrations(db);
  if (applied === null) return;
  const missing = (await listKnownMigrations()).filter((name) => !applied.includes(name));
  if (missing.length === 0) return;
  throw new ConfigError([
    `The database of DATABASE_URL lacks migrations of this version (${listOf(missing)}). Run \`npm run migrate\` first`,
  ]);
}

/** @throws ConfigError where a newer version has migrated the database. */
export async function refuseNewSchema(db: Db): Promise<void> {
  const known = await listKnownMigrations();
  const unknown = (await listAppliedMigrations(db))?.filter((name) => !known.includes(name)) ?? [];
  if (unknown.length === 0) return;
  throw new ConfigError([
    `A newer version has migrated the database (${listOf(unknown.sort())}), and migrations run forward only. Start that ` +
      'version again, or restore the backup from before the upgrade into an empty database: docs/operating.md',
  ]);
}
