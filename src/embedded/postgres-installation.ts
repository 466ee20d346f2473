import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Home } from './home.ts';
import { keepFile, readKeptFile } from './kept-file.ts';
import { copyPostgresProgram, findPostgresProgram, type PostgresProgram } from './postgres-program.ts';
import { StartError } from './start-error.ts';

/** Postgres refuses to run as root: root starts it as this user. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** Which program runs on which data folder, and as whom. */
export interface PostgresInstallation {
  readonly program: PostgresProgram;
  readonly data: string;
  /** Undefined: as ourselves. */
  readonly account: Account | undefined;
}

/** How its programs are started: by themselves, and the same on every machine. */
export const processOf = ({ account }: PostgresInstallation) => ({
  ...account,
  detached: true,
  cwd: '/',
  env: { LC_ALL: 'C', TZ: 'UTC' },
});

/**
 * An ordinary user keeps everything in the home. Root needs an unprivileged user who reaches program and data;
 * where the project or the home lies under a closed folder (say /root), they go to a place of their own instead.
 */
export function findPostgresInstallation(home: Home): PostgresInstallation {
  const program = findPostgresProgram();
  const existing = findData(home);
  if (process.getuid?.() !== 0) return { program, data: existing ?? home.postgresData, account: undefined };

  const account = existing ? ownerOf(existing) : unprivilegedAccount();
  const data =
    existing ??
    join(
      firstReachable(home, account, () => true),
      'postgres',
    );
  if (runs(program, account)) return { program, data, account };
  const folder = firstReachable(home, account, (place) => runs(copyPostgresProgram(program, place), account));
  return { program: copyPostgresProgram(program, folder), data, account };
}

function findData(home: Home): string | undefined {
  if (!lstatSync(home.postgresData, { throwIfNoEntry: false })) return undefined;
  if (!existsSync(home.postgresData)) {
    throw new StartError(
      `${home.postgresData} is a link to the database folder, which is gone. Put the folder back from a backup; ` +
        `to begin with an empty database, move ${home.path} away.`,
    );
  }
  return realpathSync(home.postgresData);
}

function ownerOf(data: string): Account {
  const { uid, gid } = statSync(data);
  if (uid !== 0) return { uid, gid };
  throw new StartError(
    `The database folder ${data} belongs to root, and Postgres does not run as root. Give it to an ordinary ` +
      `user: chown -R nobody ${data}`,
  );
}

function unprivilegedAccount(): Account {
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  for (const wanted of ['postgres', 'nobody']) {
    const user = users.find(([name]) => name === wanted);
    if (user && Number(user[2]) > 0) return { uid: Number(user[2]), gid: Number(user[3]) };
  }
  throw new StartError(
    'You are root, Postgres does not run as root, and this machine has no user "postgres" or "nobody" to run it ' +
      'as. Make one (useradd --system postgres), start Quarry as an ordinary user, or set DATABASE_URL.',
  );
}

/** The home when the account can walk into it, else a folder outside that is told apart by an id in the home. */
function firstReachable(home: Home, account: Account, suits: (folder: string) => boolean): string {
  const idFile = join(home.path, 'postgres-place');
  const id = (readKeptFile(idFile) ?? keepFile(idFile, randomUUID())).trim();
  const places = [home.path, `/var/lib/quarry/${id}`, `/var/tmp/quarry-${id}`];
  for (const place of places) {
    if (makeRootsFolder(place) && canEnter(place, account) && suits(place)) return place;
  }
  throw new StartError(
    `The unprivileged user with id ${account.uid}, as whom root runs Postgres, can reach none of ` +
      `${places.join(', ')}. Set QUARRY_HOME to a folder that other users may enter, or set DATABASE_URL.`,
  );
}

function makeRootsFolder(path: string): boolean {
  if (existsSync(path)) return true;
  try {
    for (const folder of [dirname(path), path]) {
      if (existsSync(folder)) continue;
      mkdirSync(folder);
      chmodSync(folder, 0o711); // whatever the umask: this folder is new and ours
    }
    return true;
  } catch {
    return false; // a read-only system folder: the next place
  }
}

/** Asked of the kernel rather than computed from mode bits, which know nothing of ACLs or mounts. */
function canEnter(folder: string, account: Account): boolean {
  return spawnSync('/bin/sh', ['-c', 'cd "$0"', folder], { ...account, cwd: '/', env: {} }).status === 0;
}

function runs(program: PostgresProgram, account: Account): boolean {
  const postgres = join(program.folder, 'bin/postgres');
  return spawnSync(postgres, ['--version'], { ...account, cwd: '/', env: {} }).status === 0;
}
