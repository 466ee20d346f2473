import { isDatabaseAway } from '../shared/db/client.ts';
import { migrate } from '../shared/db/migrate.ts';
import { refusePooler } from '../shared/db/refuse-pooler.ts';
import { StartError } from './start-error.ts';

/** Postgres refuses the user or the password, or has no such database. */
const isRefused = (error: Error): boolean => 'code' in error && /^(28|3D)/.test(String(error.code));

/**
 * Brings the database of DATABASE_URL to the newest schema.
 * @throws StartError where it cannot be reached, ConfigError where it is none that Quarry can use.
 */
export async function migrateGiven(databaseUrl: string): Promise<void> {
  await refusePooler(databaseUrl);
  try {
    await migrate(databaseUrl);
  } catch (error) {
    if (!(error instanceof Error) || !(isDatabaseAway(error) || isRefused(error))) throw error;
    const { host, pathname } = new URL(databaseUrl);
    const reason = error.message || ('code' in error ? String(error.code) : error.name);
    throw new StartError(
      `The database of DATABASE_URL, ${host}${pathname}, cannot be reached: ${reason}. Start it or correct the ` +
        'variable; without DATABASE_URL the bundled Postgres is started.',
    );
  }
}
