import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { connectUnbounded } from '../../shared/db/connections.ts';
import { listKnownMigrations } from '../../shared/db/known-migrations.ts';
import { migrate } from '../../shared/db/migrate.ts';
import { AdminError } from '../command.ts';
import { listAllTables, listBackupTables, listMigrations, quoteName } from './backup-tables.ts';
import { type BackupHead, firstLine, lastLine } from './write-backup.ts';

const batchBytes = 65_536;
const copyLine = /^copy ("(?:[^"]|"")+") \("(?:[^"]|"")+"(?:, "(?:[^"]|"")+")*\) from stdin;$/;
const settingLine = /^select pg_catalog\.setval\('[a-z0-9_.]+', \d+\);$/;

/**
 * Loads a backup into a database without users and jobs: in the schema that its rows are of, which is then brought up to
 * date. Either all is loaded or nothing. Nothing but the statements that a backup consists of is run.
 * @returns the number of rows.
 * @throws AdminError where the database is not empty, also of tables that are not ours, or the backup is not whole, or of a newer version.
 */
export async function restoreBackup(
  databaseUrl: string,
  file: string,
): Promise<BackupHead & { rows: number }> {
  const lines = readLines(file);
  const client = await connectUnbounded(databaseUrl);
  try {
    const head = await readHead(lines, file);
    await prepareSchema(client, databaseUrl, head);
    await client.query('begin');
    const tables = (await listBackupTables(client)).map(({ name }) => quoteName(name));
    await client.query(`truncate ${tables.join(', ')}`);
    const rows = await loadScript(client, lines, new Set(tables));
    await client.query('commit');
    await client.query('analyze');
    await migrate(databaseUrl);
    return { ...head, rows };
  } catch (error) {
    throw toAdminError(error, file);
  } finally {
    await lines.return(undefined);
    await client.end();
  }
}

class NotWhole extends Error {}

function toAdminError(error: unknown, file: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ENOENT') return new AdminError(`There is no file ${file}.`);
  if (code === 'EISDIR') return new AdminError(`${file} is a folder. Name the backup file.`);
  if (code === 'EACCES') return new AdminError(`${file} may not be read by this user.`);
  if (code === '2BP01')
    return new AdminError(
      `The tables of Quarry cannot be replaced: ${(error as Error).message}. Drop what depends on them, or restore into an empty database. Nothing was changed.`,
    );
  if (error instanceof NotWhole || code.startsWith('Z_'))
    return new AdminError(`${file} is not a whole backup of Quarry. Nothing was restored; take another one.`);
  return error;
}

/** Lines without their ends, in bounded memory but for the longest of them. */
async function* readLines(file: string): AsyncGenerator<Buffer, undefined> {
  const source = createReadStream(file);
  const unpacked = createGunzip();
  source.once('error', (error) => unpacked.destroy(error)).pipe(unpacked);
  try {
    let begun: Buffer[] = [];
    for await (const piece of unpacked as AsyncIterable<Buffer>) {
      let from = 0;
      for (;;) {
        const end = piece.indexOf(10, from);
        if (end === -1) break;
        yield Buffer.concat([...begun, piece.subarray(from, end)]);
        begun = [];
        from = end + 1;
      }
      if (from < piece.length) begun.push(piece.subarray(from));
    }
  } finally {
    source.destroy();
  }
}

async function nextLine(lines: AsyncGenerator<Buffer, undefined>): Promise<Buffer> {
  const { value } = await lines.next();
  if (value === undefined) throw new NotWhole();
  return value;
}

async function readHead(lines: AsyncGenerator<Buffer, undefined>, file: string): Promise<BackupHead> {
  if ((await nextLine(lines)).toString() !== firstLine) throw new NotWhole();
  const head = JSON.parse((await nextLine(lines)).toString().slice('-- '.length)) as BackupHead;
  const known = new Set(await listKnownMigrations());
  const unknown = head.migrations.filter((name) => !known.has(name));
  if (unknown.length === 0) return head;
  throw new AdminError(
    `${file} is of a newer version of Quarry than this one (${unknown.join(', ')}). Restore it with that one.`,
  );
}

/** Leaves the database empty, with the schema of the backup. */
async function prepareSchema(
  client: pg.Client,
  databaseUrl: string,
  { migrations }: BackupHead,
): Promise<void> {
  const { own, others } = await listAllTables(client);
  if (others.length > 0)
    throw new AdminError(
      `The database has tables that are not of this version of Quarry: ${others.slice(0, 5).join(', ')}. Restore into a new one: ` +
        'set DATABASE_URL to an empty database. Nothing was changed.',
    );
  const { rows } = await client.query(`select to_regclass('kysely_migration') is not null as "hasSchema"`);
  if (rows[0]?.hasSchema === true) {
    const { rows: found } = await client.query(
      'select exists (select from users) or exists (select from jobs) as "isUsed"',
    );
    if (found[0]?.isUsed !== false)
      throw new AdminError(
        'The database is not empty: it has users or jobs. Restore into a new one: set QUARRY_HOME to a new folder, with the ' +
          'secrets.json of the old one in it, or DATABASE_URL to an empty database. Nothing was changed.',
      );
    if (String(await listMigrations(client)) === String(migrations)) return;
    // What else may be in the schema stays.
    await client.query(`drop table ${own.map(quoteName).join(', ')}; drop function if exists live_jobs_of`);
  }
  await migrate(databaseUrl, migrations.at(-1));
}

/** @returns the number of rows. */
async function loadScript(
  client: pg.Client,
  lines: AsyncGenerator<Buffer, undefined>,
  tables: ReadonlySet<string>,
): Promise<number> {
  let rows = 0;
  for (;;) {
    const statement = (await nextLine(lines)).toString();
    if (statement === lastLine) return rows;
    if (settingLine.test(statement)) {
      await client.query(statement);
      continue;
    }
    const table = copyLine.exec(statement)?.[1];
    if (table === undefined || !tables.has(table)) throw new NotWhole();
    rows += await loadRows(client, statement, lines);
  }
}

async function loadRows(
  client: pg.Client,
  statement: string,
  lines: AsyncGenerator<Buffer, undefined>,
): Promise<number> {
  const rows = client.query(copyFrom(statement));
  const stored = finished(rows);
  stored.catch(() => undefined);
  let batch: Buffer[] = [];
  let size = 0;
  const send = async (): Promise<void> => {
    const isTaken = rows.write(Buffer.concat(batch));
    [batch, size] = [[], 0];
    if (!isTaken) await Promise.race([once(rows, 'drain'), stored]);
  };
  try {
    for (;;) {
      const line = await nextLine(lines);
      if (line.length === 2 && line.toString() === '\\.') break;
      batch.push(line, Buffer.from('\n'));
      size += line.length + 1;
      if (size >= batchBytes) await send();
    }
    await send();
    rows.end();
    await stored;
    return rows.rowCount;
  } catch (error) {
    rows.destroy();
    throw error;
  }
}
