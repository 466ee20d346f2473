import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { connectUnbounded } from '../../shared/db/connections.ts';
import { AdminError } from '../command.ts';
import { listBackupTables, listMigrations, listSequenceSettings, quoteName } from './backup-tables.ts';

/** The first line of a backup; the version counts its format. */
export const firstLine = '-- Quarry backup 1';
/** The last one: what ends without it is not whole. */
export const lastLine = '-- End of the backup';

/** What the second line of a backup says, after `-- `. */
export interface BackupHead {
  createdAt: string;
  /** Of the schema that the rows are of. */
  migrations: string[];
}

const missingFolder = 'is in a folder that is not there. Make the folder, or name a file in one that is.';
const forbidden = 'may not be written by this user. Name a file in a folder that this user may write to.';

/** Why the file cannot be written, by the code of the system. */
const refusals: Readonly<Record<string, string>> = {
  EEXIST: 'is there already. Name a file that is not.',
  ENOENT: missingFolder,
  ENOTDIR: missingFolder,
  EACCES: forbidden,
  EPERM: forbidden,
  EROFS: forbidden,
  ENOSPC: 'was not written, as its disk is full. Free some of it, or name a file on another.',
};

/**
 * Writes all rows as they are at one moment, while the service goes on, as a SQL script of `COPY` statements, packed by
 * gzip, in bounded memory. `file` must not exist.
 * @returns the number of rows by table.
 */
export async function writeBackup(databaseUrl: string, file: string): Promise<Map<string, number>> {
  const client = await connectUnbounded(databaseUrl);
  const script = new PassThrough();
  const target = createWriteStream(file, { flags: 'wx', mode: 0o600 });
  const packed = pipeline(script, createGzip({ level: constants.Z_BEST_SPEED }), target);
  try {
    const [rows] = await Promise.all([writeScript(client, script), packed]);
    return rows;
  } catch (error) {
    script.destroy();
    await packed.catch(() => undefined);
    const code = String((error as NodeJS.ErrnoException).code);
    if (code !== 'EEXIST') await rm(file, { force: true }).catch(() => undefined);
    throw Object.hasOwn(refusals, code) ? new AdminError(`${file} ${refusals[code]}`) : error;
  } finally {
    await client.end();
  }
}

async function writeScript(client: pg.Client, script: PassThrough): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  await client.query('begin transaction isolation level repeatable read read only');
  const { rows: found } = await client.query(`select to_regclass('kysely_migration') is null as "isNone"`);
  if (found[0]?.isNone === true)
    throw new AdminError(
      'The database has no tables of Quarry, so there is nothing to back up. Look at DATABASE_URL.',
    );
  const head: BackupHead = {
    createdAt: new Date().toISOString(),
    migrations: await listMigrations(client),
  };
  script.write(`${firstLine}\n-- ${JSON.stringify(head)}\n`);
  for (const { name, columns } of await listBackupTables(client)) {
    const what = `${quoteName(name)} (${columns.map(quoteName).join(', ')})`;
    script.write(`copy ${what} from stdin;\n`);
    const rows = client.query(copyTo(`copy ${what} to stdout`));
    rows.pipe(script, { end: false });
    await finished(rows, { writable: false });
    script.write('\\.\n');
    counts.set(name, rows.rowCount);
  }
  for (const setting of await listSequenceSettings(client)) script.write(`${setting}\n`);
  script.end(`${lastLine}\n`);
  return counts;
}
