import { Kysely, PostgresDialect } from 'kysely';
import { Pool, types } from 'pg';
import type { Database } from './tables.ts';

export type Db = Kysely<Database>;

// Counters are bigint in Postgres and stay far below 2^53.
types.setTypeParser(types.builtins.INT8, Number);

export interface DbOptions {
  url: string;
  /** Connections at most. */
  poolSize: number;
  /** Told of the errors of idle connections; without it they would end the process. */
  onError: (error: Error) => void;
}

/** Connects on the first query, not before. */
export function createDb(options: DbOptions): Db {
  const pool = new Pool({
    connectionString: options.url,
    max: options.poolSize,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    statement_timeout: 60_000,
  });
  pool.on('error', options.onError);
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
}

/** True for failures that say that Postgres cannot be reached or is going down, not that a query is wrong. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return (
    /^(08|57P0|53)/.test(code) ||
    /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN)/.test(code) ||
    /Connection terminated|timeout exceeded when trying to connect|Cannot use a pool after/.test(
      error.message,
    )
  );
}
