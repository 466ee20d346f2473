import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import pg from 'pg';
import type { Home } from './home.ts';
import { keepFile, readKeptFile } from './kept-file.ts';
import type { PostgresPlace } from './postgres-place.ts';
import { StartError } from './start-error.ts';

/** Kept in the home, made at its first start. @throws StartError where there is a database, but its password is gone. */
export function databasePassword(home: Home, place: PostgresPlace): string {
  const kept = readKeptFile(home.postgresPasswordFile)?.trim();
  if (kept) return kept;
  if (existsSync(place.data)) {
    throw new StartError(
      `${home.postgresPasswordFile} is missing, but there is a database in ${place.data}. Put the file back from ` +
        `a backup, or move ${home.path} away to begin anew.`,
    );
  }
  return keepFile(home.postgresPasswordFile, `${randomBytes(24).toString('base64url')}\n`).trim();
}

export function databaseUrl(port: number, password: string): string {
  return `postgres://quarry:${password}@127.0.0.1:${port}/quarry`;
}

/** Makes the database where it is missing. @throws Error of Postgres, which does not let us in. */
export async function openDatabase(url: string): Promise<void> {
  try {
    await query(url, 'SELECT 1');
  } catch (error) {
    const code = (error as { code?: string }).code;
    if (code !== '3D000') throw error;
    await query(url.replace(/quarry$/, 'postgres'), 'CREATE DATABASE quarry');
  }
}

/** What `openDatabase` threw, for the operator. */
export function whyClosed(home: Home, { code, message }: Error & { code?: string }): string {
  if (code !== '28P01') return `Postgres runs, but cannot be used: ${message}`;
  return (
    `Postgres runs, but does not accept the password in ${home.postgresPasswordFile}. Put back the file that ` +
    `belongs to this database, or move ${home.path} away to begin anew.`
  );
}

async function query(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
