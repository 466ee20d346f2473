import { createHmac, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import pg from 'pg';
import type { Home } from './home.ts';
import { keepFile, readKeptFile } from './kept-file.ts';
import type { PostgresInstallation } from './postgres-installation.ts';
import { StartError } from './start-error.ts';

/** Owns the database and is all that API and workers are: a superuser could read files and start programs. */
const serviceRole = 'quarry_service';

/** Kept in the home, made at its first start. @throws StartError where there is a database, but its password is gone. */
export function databasePassword(home: Home, installation: PostgresInstallation): string {
  const kept = readKeptFile(home.postgresPasswordFile)?.trim();
  if (kept) return kept;
  if (existsSync(installation.data)) {
    throw new StartError(
      `${home.postgresPasswordFile} is missing, but there is a database in ${installation.data}. Put the file back from ` +
        `a backup, or move ${home.path} away to begin anew.`,
    );
  }
  return keepFile(home.postgresPasswordFile, `${randomBytes(24).toString('base64url')}\n`).trim();
}

/** Of the superuser that initdb has made, for the start alone. */
function superuserUrl(port: number, password: string, database: string): string {
  return `postgres://quarry:${password}@127.0.0.1:${port}/${database}`;
}

/** Nobody finds out the superuser's password by it. */
const servicePassword = (password: string) =>
  createHmac('sha256', password).update(serviceRole).digest('base64url');

const ownsDatabase = `select from pg_database where datname = 'quarry' and datdba = (select oid from pg_roles where rolname = '${serviceRole}')`;

/**
 * Makes the database and the role of the service where they are missing.
 * @param socketFolder where the service connects by a Unix socket, which costs both sides less than TCP.
 * @returns its URL, as that role. @throws Error of Postgres, which does not let us in.
 */
export async function openDatabase(
  port: number,
  password: string,
  socketFolder: string | undefined,
): Promise<string> {
  const byTcp = `postgres://${serviceRole}:${servicePassword(password)}@127.0.0.1:${port}/quarry`;
  const ways =
    socketFolder === undefined ? [byTcp] : [`${byTcp}?host=${encodeURIComponent(socketFolder)}`, byTcp];
  // One that an older version has started has no socket.
  const findWay = async (): Promise<string | undefined> => {
    for (const url of ways) if ((await query(url, ownsDatabase).catch(() => 0)) > 0) return url;
    return undefined;
  };
  const found = await findWay();
  if (found !== undefined) return found;
  const asSuperuser = superuserUrl(port, password, 'postgres');
  if ((await query(asSuperuser, `select from pg_database where datname = 'quarry'`)) === 0)
    await query(asSuperuser, 'create database quarry');
  await query(superuserUrl(port, password, 'quarry'), handOver(servicePassword(password)));
  return (await findWay()) ?? byTcp;
}

/** In one transaction. A database that was made before the role was there is handed over with all that is in it. */
function handOver(rolePassword: string): string {
  return `
    do $$
    declare item record;
    begin
      if not exists (select from pg_roles where rolname = '${serviceRole}') then
        create role ${serviceRole} login;
      end if;
      alter role ${serviceRole} password '${rolePassword}';
      alter schema public owner to ${serviceRole};
      -- What belongs to a table, as its indexes and the sequences of its columns, goes with it.
      for item in
        select format('alter table %s owner to ${serviceRole}', c.oid::regclass) as statement
        from pg_class c
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'S')
          and not exists (
            select from pg_depend d
            where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype in ('a', 'i')
              and d.refclassid = 'pg_class'::regclass
          )
        union all
        select format('alter routine %s owner to ${serviceRole}', p.oid::regprocedure)
        from pg_proc p where p.pronamespace = 'public'::regnamespace
      loop
        execute item.statement;
      end loop;
      alter database quarry owner to ${serviceRole};
    end $$`;
}

/** What `openDatabase` threw, for the operator. */
export function whyClosed(home: Home, { code, message }: Error & { code?: string }): string {
  if (code !== '28P01') return `Postgres runs, but cannot be used: ${message}`;
  return (
    `Postgres runs, but does not accept the password in ${home.postgresPasswordFile}. Put back the file that ` +
    `belongs to this database, or move ${home.path} away to begin anew.`
  );
}

/** @returns the number of rows. */
async function query(url: string, sql: string): Promise<number> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    return (await client.query(sql)).rowCount ?? 0;
  } finally {
    await client.end();
  }
}
