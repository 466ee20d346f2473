import { describeDatabaseFailure } from '../shared/db/describe-failure.ts';
import { migrate } from '../shared/db/migrate.ts';
import { refusePooler } from '../shared/db/refuse-pooler.ts';
import { StartError } from './start-error.ts';

/**
 * Runs what needs the database of DATABASE_URL.
 * @throws StartError where that cannot be reached or refuses us, and what `work` throws.
 */
export async function tellUnreachable<T>(databaseUrl: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const description = describeDatabaseFailure(databaseUrl, error);
    if (description === null) throw error;
    throw new StartError(`${description} Without DATABASE_URL the bundled Postgres is started.`);
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
