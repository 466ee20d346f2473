import { ConfigError, readDatabaseUrl } from '../config.ts';
import { migrate } from './migrate.ts';
import { refusePooler } from './refuse-pooler.ts';

try {
  const databaseUrl = readDatabaseUrl();
  await refusePooler(databaseUrl);
  const applied = await migrate(databaseUrl);
  console.log(applied.length === 0 ? 'The database is up to date.' : `Applied: ${applied.join(', ')}`);
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exitCode = 1;
}
