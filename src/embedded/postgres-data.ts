import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Home } from './home.ts';
import { type PostgresInstallation, processOf } from './postgres-installation.ts';
import { StartError } from './start-error.ts';

/** Makes the data folder unless it stands; a start killed in between begins again. */
export async function initialiseData(
  home: Home,
  installation: PostgresInstallation,
  password: string,
): Promise<void> {
  if (existsSync(installation.data)) {
    checkMajor(installation);
  } else {
    const partial = `${installation.data}.partial`;
    rmSync(partial, { recursive: true, force: true });
    mkdirSync(partial, { mode: 0o700 });
    if (installation.account) chownSync(partial, installation.account.uid, installation.account.gid);
    await runInitdb(installation, partial, password);
    renameSync(partial, installation.data);
  }
  if (!existsSync(home.postgresData)) symlinkSync(installation.data, home.postgresData);
}

function checkMajor(installation: PostgresInstallation): void {
  const versionFile = join(installation.data, 'PG_VERSION');
  if (!existsSync(versionFile)) {
    throw new StartError(
      `${installation.data} is not a Postgres data folder (no PG_VERSION). Move it away and start again.`,
    );
  }
  const found = readFileSync(versionFile, 'utf8').trim();
  if (found === installation.program.major) return;
  throw new StartError(
    `The database in ${installation.data} was made by Postgres ${found}; the bundled one is Postgres ` +
      `${installation.program.major}, which cannot open it. Nothing was changed. Either go back to the Quarry that came ` +
      `with Postgres ${found}, write a backup with it (npm run -s admin -- backup create --to FILE) and restore that with ` +
      `this one into a new QUARRY_HOME (docs/operating.md), or move the folder away to begin with an empty database.`,
  );
}

async function runInitdb(installation: PostgresInstallation, data: string, password: string): Promise<void> {
  // Beside the data folder, which must be empty, and owned by the one who has to read it.
  const passwordFile = `${data}.password`;
  rmSync(passwordFile, { force: true });
  writeFileSync(passwordFile, password, { mode: 0o600, flag: 'wx' });
  if (installation.account) chownSync(passwordFile, installation.account.uid, installation.account.gid);
  const child = spawn(
    join(installation.program.folder, 'bin/initdb'),
    [
      `--pgdata=${data}`,
      '--username=quarry',
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // Postgres's own Unicode rules: the same on every machine, whatever locales it has installed.
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--locale=C',
      '--no-instructions',
    ],
    { ...processOf(installation), stdio: ['ignore', 'ignore', 'pipe'] },
  );
  try {
    const ended = once(child, 'close') as Promise<[number | null]>;
    const [errors, [code]] = await Promise.all([text(child.stderr), ended]);
    if (code === 0) return;
    throw new StartError(
      `Postgres's initdb could not make ${data}:\n${errors.trim()}\n` +
        'Mend that, or set DATABASE_URL to a Postgres of your own.',
    );
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    // The file is there, so what is not found is the loader it names.
    throw new StartError(
      'The bundled Postgres does not run on this machine: it needs a Linux with glibc (Debian, Ubuntu, Fedora …; ' +
        'not Alpine). Set DATABASE_URL to a Postgres of your own.',
    );
  } finally {
    rmSync(passwordFile, { force: true });
  }
}
