import { setTimeout as sleep } from 'node:timers/promises';
import { type CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import { types } from 'pg';
import { type ConnectionOptions, type Connections, createConnections } from './connections.ts';
import type { Database } from './tables.ts';

export type Db = Kysely<Database>;

// Counters are bigint in Postgres and stay far below 2^53.
types.setTypeParser(types.builtins.INT8, Number);

const pools = new WeakMap<Db, Connections>();

/** Connects on the first query, not before. */
export function createDb(options: ConnectionOptions): Db {
  const pool = createConnections(options);
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
  pools.set(db, pool);
  return db;
}

/** Shares the connections of a process out between the life of jobs, most of what it asks, and all else. */
export function splitPool(connections: number): { jobs: number; other: number } {
  const other = Math.max(1, Math.floor(connections / 3));
  return { jobs: Math.max(2, connections - other), other };
}

/** Runs a query past Kysely's layers, which cost a third of a short one. Within a transaction only Kysely can. */
export async function runQuery<Row>(db: Db, query: CompiledQuery<Row>): Promise<Row[]> {
  const pool = pools.get(db);
  if (pool === undefined) return (await db.executeQuery<Row>(query)).rows;
  const client = await pool.connect();
  try {
    return (await client.query<Row & object>(query.sql, query.parameters)).rows;
  } finally {
    client.release();
  }
}

const attemptsAtMost = 6;
const pauseMs = 20;

/** Postgres has undone a statement or a transaction in favour of another one: a deadlock, a serialization failure. */
const isConflict = (error: unknown) =>
  error instanceof Error && 'code' in error && (error.code === '40P01' || error.code === '40001');

/**
 * Does again what Postgres has undone in favour of another transaction. Within a transaction nothing is done again:
 * all of it is undone.
 */
export async function retryConflicts<T>(db: Db, attempt: () => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      if (db.isTransaction || attempts === attemptsAtMost || !isConflict(error)) throw error;
      // Not in step with the other one.
      await sleep(Math.random() * pauseMs * 2 ** attempts);
    }
  }
}

/** A transaction that is begun anew where Postgres has undone it in favour of another one. */
export async function inTransaction<T>(db: Db, work: (trx: Db) => Promise<T>): Promise<T> {
  return await retryConflicts(db, () => db.transaction().execute(work));
}

/**
 * True for failures that say that Postgres cannot be reached, is going down or cannot write (full disk, read-only
 * after a failover), not that a query is wrong.
 */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return (
    // Not 53200, out of memory, nor 08P01, a statement with too many values: one query may be the reason.
    /^(08(?!P01)|57P0|53[0134]|58|25006)/.test(code) ||
    /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN)/.test(code) ||
    // The first is of a Unix socket; the last is said of a transaction's rollback, in place of why its connection broke.
    /^connect (ENOENT|EAGAIN)|Connection terminated|timeout exceeded when trying to connect|Cannot use a pool after|not queryable/.test(
      error.message,
    )
  );
}

/** Longer than Postgres takes to answer while it is there, and to refuse while it is not. */
const unresponsiveAfterMs = 1_000;

/**
 * True where Postgres is away and was waited for, so that who asks after this one would only wait as long once more.
 * Not for a failure that came at once: it may be of one connection only, and costs the next one nothing to find out.
 * @param since `performance.now()` when it was asked.
 */
export function isDatabaseUnresponsive(error: unknown, since: number): boolean {
  return isDatabaseAway(error) && performance.now() - since > unresponsiveAfterMs;
}
