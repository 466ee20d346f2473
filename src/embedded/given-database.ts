import { isDatabaseAway } from '../shared/db/client.ts';
import { migrate } from '../shared/db/migrate.ts';
import { refusePooler } from '../shared/db/refuse-pooler.ts';
import { StartError } from './start-error.ts';

/** Postgres refuses the user or the password, or has no such database. */
const isRefused = (error: Error): boolean => 'code' in error && /^(28|3D)/.test(String(error.code));

/**
 * Runs what needs the database of DATABASE_URL.
 * @throws StartError where that cannot be reached, and what `work` throws.
 */
export async function tellUnreachable<T>(databaseUrl: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || !(isDatabaseAway(error) || isRefused(error))) throw error;
    const url = URL.parse(databaseUrl);
    const place = url === null ? '' : `, ${url.host}${url.pathname},`;
    const reason = error.message || ('code' in error ? String(error.code) : error.name);
    throw new StartError(
      `The database of DATABASE_URL${place} cannot be reached: ${reason}. Start it or correct the ` +
        'variable; without DATABASE_URL the bundled Postgres is started.',
    );
  }
}

/**
 * Brings the database of DATABASE_URL to the newest schema.
 * @throws StartError where it cannot be reached, ConfigError where it is none that Quarry can use.
 */
export async function migrateGiven(databaseUrl: string): Promise<void> {
  await refusePooler(databaseUrl);
  await tellUnreachable(databaseUrl, () => migrate(databaseUrl));
}
