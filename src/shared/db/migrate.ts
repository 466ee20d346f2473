import { join } from 'node:path';
import { type Migration, type MigrationProvider, Migrator } from 'kysely/migration';
import { createDb } from './client.ts';
import { listKnownMigrations, migrationsFolder } from './known-migrations.ts';
import { refuseNewSchema } from './refuse-schema.ts';

const provider: MigrationProvider = {
  async getMigrations() {
    const names = await listKnownMigrations();
    const loaded = await Promise.all(
      names.map(
        async (name) => [name, (await import(join(migrationsFolder, `${name}.ts`))) as Migration] as const,
      ),
    );
    return Object.fromEntries(loaded);
  },
};

/**
 * Brings the database to the newest schema, or to that after the migration `to`. Several processes may call it at once: one works, the others wait.
 * @returns the names of the migrations that were applied.
 * @throws ConfigError where a newer version has migrated it.
 */
export async function migrate(databaseUrl: string, to?: string): Promise<string[]> {
  const db = createDb({ url: databaseUrl, poolSize: 2, onError: () => undefined, isUnbounded: true });
  try {
    await refuseNewSchema(db);
    // Work that goes on side by side does not come in the order of its numbers; no two change the same.
    const migrator = new Migrator({ db, provider, allowUnorderedMigrations: true });
    const { error, results } = await (to === undefined ? migrator.migrateToLatest() : migrator.migrateTo(to));
    if (error !== undefined) throw error;
    return (results ?? []).map((result) => result.migrationName);
  } finally {
    await db.destroy();
  }
}
