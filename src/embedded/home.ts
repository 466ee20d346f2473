import { accessSync, constants, mkdirSync, realpathSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { StartError } from './start-error.ts';

/** The data folder of the embedded start: everything that must outlive a restart is in it. */
export interface Home {
  readonly path: string;
  readonly secretsFile: string;
  /** The Postgres data folder, or (for root) a link to where it really is. */
  readonly postgresData: string;
  readonly postgresPasswordFile: string;
  readonly redisData: string;
  readonly logs: string;
  readonly lockFile: string;
  /** Who holds the lock, for people and for `npm run admin`. */
  readonly holderFile: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** QUARRY_HOME, else `.quarry` in the user's home, else (a service user without one) in the project. */
export function homePath(env: Environment): string {
  if (env['QUARRY_HOME']) return resolve(env['QUARRY_HOME']);
  const parent = [env['HOME'], passwdHome()].find((folder) => folder && isDirectory(folder));
  return join(parent ?? join(import.meta.dirname, '../..'), '.quarry');
}

/** os.homedir() would answer with an empty HOME. */
function passwdHome(): string | undefined {
  try {
    return userInfo().homedir;
  } catch {
    return undefined; // a user id without an entry, as containers run them
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Who owns the key that the first start makes, and where the password of that user is kept. */
export const ownerEmail = 'owner@quarry.localhost';
export const passwordFileOf = (home: Home): string => join(home.path, 'password');

export const secretsFileOf = (homeFolder: string): string => join(homeFolder, 'secrets.json');

/**
 * Makes the folder where it is missing. A folder that stands already keeps its mode: it may be a mounted volume
 * or a mistake such as QUARRY_HOME=/tmp. What is secret inside has mode 0600 or 0700 of its own.
 */
export function openHome(env: Environment): Home {
  const path = homePath(env);
  // Root's Postgres runs as another user, who must be able to walk through (not list) this folder.
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700;
  try {
    mkdirSync(path, { recursive: true, mode });
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new StartError(
      `The data folder ${path} cannot be made or written to (${(error as Error).message}). ` +
        'Set QUARRY_HOME to a folder you can write to.',
    );
  }
  const real = realpathSync(path);
  const home = {
    path: real,
    secretsFile: secretsFileOf(real),
    postgresData: join(real, 'postgres'),
    postgresPasswordFile: join(real, 'postgres-password'),
    redisData: join(real, 'redis'),
    logs: join(real, 'logs'),
    lockFile: join(real, 'lock'),
    holderFile: join(real, 'holder.json'),
  };
  mkdirSync(home.logs, { recursive: true, mode: 0o700 });
  return home;
}
