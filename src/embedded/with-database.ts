import { readDatabaseUrl } from '../shared/config.ts';
import { migrate } from '../shared/db/migrate.ts';
import { refusePooler } from '../shared/db/refuse-pooler.ts';
import { tellUnreachable } from './given-database.ts';
import { openHome, type Home } from './home.ts';
import { endLeftovers, type HomeLock, findHolder, tryLockHome, waitUntil } from './home-lock.ts';
import { startPostgres } from './postgres.ts';
import { findSecrets, openSecrets, type Secrets } from './secrets.ts';
import { StartError } from './start-error.ts';

export interface DatabaseAccess {
  readonly databaseUrl: string;
  /** Those that are known: of a DATABASE_URL, whose API may have its own, none is made. */
  readonly secrets: Partial<Secrets>;
}

const lockWithinMs = 120_000;

/**
 * Runs `fn` on the database of this installation: DATABASE_URL where it is set, else that of QUARRY_HOME. There
 * it joins the running service; when none runs, it starts Postgres for itself alone, brings the schema up to date
 * and stops it again. Commands that would do so at the same time wait for each other.
 */
export async function withDatabase<T>(
  env: NodeJS.ProcessEnv,
  fn: (access: DatabaseAccess) => Promise<T>,
): Promise<T> {
  if (env['DATABASE_URL']) {
    const databaseUrl = readDatabaseUrl(env);
    await refusePooler(databaseUrl);
    return await tellUnreachable(databaseUrl, () => fn({ databaseUrl, secrets: findSecrets(env) }));
  }
  const home = openHome(env);
  const lockOrUrl = await waitUntil(() => lockOrJoin(home), lockWithinMs);
  if (lockOrUrl === undefined) {
    throw new StartError(
      `The database of ${home.path} was not free within ${lockWithinMs / 1000} s: process ` +
        `${findHolder(home)?.pid ?? 'unknown'} holds it. Wait for its end or stop it, then try again.`,
    );
  }
  if (typeof lockOrUrl === 'string')
    return await fn({ databaseUrl: lockOrUrl, secrets: openSecrets(home, env) });
  try {
    return await alone(home, lockOrUrl, env, fn);
  } finally {
    lockOrUrl[Symbol.dispose]();
  }
}

/** The lock, or the address of the database that the running service shares. */
function lockOrJoin(home: Home): HomeLock | string | undefined {
  const lock = tryLockHome(home, 'command');
  if (lock) return lock;
  const holder = findHolder(home);
  return holder?.purpose === 'service' ? holder.databaseUrl : undefined;
}

async function alone<T>(
  home: Home,
  lock: HomeLock,
  env: NodeJS.ProcessEnv,
  fn: (access: DatabaseAccess) => Promise<T>,
): Promise<T> {
  await endLeftovers(lock);
  const secrets = openSecrets(home, env);
  const postgres = await startPostgres(home);
  try {
    await migrate(postgres.url);
    return await fn({ databaseUrl: postgres.url, secrets });
  } finally {
    await postgres.stop();
  }
}
