import { ConfigError, readDatabaseUrl } from '../config.ts';
import { describeDatabaseFailure } from './describe-failure.ts';
import { migrate } from './migrate.ts';
import { refusePooler } from './refuse-pooler.ts';

let databaseUrl = '';
try {
  databaseUrl = readDatabaseUrl();
  await refusePooler(databaseUrl);
  const applied = await migrate(databaseUrl);
  console.log(applied.length === 0 ? 'The database is up to date.' : `Applied: ${applied.join(', ')}`);
} catch (error) {
  const known = error instanceof ConfigError ? error.message : null;
  console.error(known ?? describeDatabaseFailure(databaseUrl, error) ?? error);
  process.exitCode = 1;
}
