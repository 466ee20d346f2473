import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Migration, type MigrationProvider, Migrator } from 'kysely/migration';
import { createDb } from './client.ts';

const folder = join(import.meta.dirname, '../../../migrations');

/** In their order, without loading them. */
export async function listKnownMigrations(): Promise<string[]> {
  const files = await readdir(folder);
  return files.flatMap((file) => /^(\d{4}-.*)\.ts$/.exec(file)?.[1] ?? []).sort();
}

const provider: MigrationProvider = {
  async getMigrations() {
    const names = await listKnownMigrations();
    const loaded = await Promise.all(
      names.map(async (name) => [name, (await import(join(folder, `${name}.ts`))) as Migration] as const),
    );
    return Object.fromEntries(loaded);
  },
};

/**
 * Brings the database to the newest schema, or to that after the migration `to`. Several processes may call it at once: one works, the others wait.
 * @returns the names of the migrations that were applied.
 */
export async function migrate(databaseUrl: string, to?: string): Promise<string[]> {
  const db = createDb({ url: databaseUrl, poolSize: 2, onError: () => undefined, isUnbounded: true });
  try {
    // Work that goes on side by side does not come in the order of its numbers; no two change the same.
    const migrator = new Migrator({ db, provider, allowUnorderedMigrations: true });
    const { error, results } = await (to === undefined ? migrator.migrateToLatest() : migrator.migrateTo(to));
    if (error !== undefined) throw error;
    return (results ?? []).map((result) => result.migrationName);
  } finally {
    await db.destroy();
  }
}
