import { type CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import { Pool, type PoolClient, types } from 'pg';
import type { Database } from './tables.ts';

export type Db = Kysely<Database>;

// Counters are bigint in Postgres and stay far below 2^53.
types.setTypeParser(types.builtins.INT8, Number);

export interface DbOptions {
  url: string;
  /** Connections at most. */
  poolSize: number;
  /** Told of the errors of connections that no query is under way on. */
  onError: (error: Error) => void;
  /** A connection that leaves a query unanswered for longer is closed. Default: only Postgres has a bound, 60 s. */
  databaseAnswersWithinMs?: number;
}

/**
 * A plan that is kept was made when its table was small, where reading all of it looked cheapest, and is used when
 * it has grown: each query of a job's life has an index, and compiling a plan takes longer than any of them.
 */
const planSettings = 'set enable_seqscan = off; set jit = off';

const connectWithinMs = 5_000;

const nameMark = /^\s*-- prepared: (\S+)\n/;

/**
 * Statements that begin with `-- prepared: <name>` are parsed and planned once a connection: those of the life
 * of a job take longer to plan than to run. A name stands for one text. Its arrays stand behind a select, as in
 * `Shape.rows` of prepared.ts, which says why.
 */
function nameStatements(client: PoolClient): void {
  const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
  const prepared = async (name: string, text: string, values: unknown): Promise<unknown> => {
    try {
      return await query({ name, text, values });
    } catch (error) {
      // A migration changed the table under the plan; the unnamed statement is planned anew.
      if (!(error instanceof Error && 'code' in error && error.code === '0A000')) throw error;
      return await query(text, values);
    }
  };
  const named = (first: unknown, ...rest: unknown[]): unknown => {
    const name = typeof first === 'string' ? nameMark.exec(first)?.[1] : undefined;
    return name === undefined ? query(first, ...rest) : prepared(name, first as string, rest[0]);
  };
  client.query = named as typeof client.query;
}

/**
 * What waits for an answer fails as where Postgres is away. Whether a write has happened stays unknown, as with every
 * connection that breaks; but one whose other end is gone without a word would swallow the next queries too.
 */
function closeWhenSilent(client: PoolClient, databaseAnswersWithinMs: number): void {
  const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
  const answered = async (...args: unknown[]): Promise<unknown> => {
    const timer = setTimeout(() => client.connection.stream.destroy(), databaseAnswersWithinMs);
    return await query(...args).finally(() => clearTimeout(timer));
  };
  client.query = answered as typeof client.query;
}

const pools = new WeakMap<Db, Pool>();

/** Connects on the first query, not before. */
export function createDb(options: DbOptions): Db {
  const pool = new Pool({
    connectionString: options.url,
    max: options.poolSize,
    connectionTimeoutMillis: connectWithinMs,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    statement_timeout: 60_000,
    // A process that hangs or is cut off in mid-transaction must not keep its locks from the others.
    idle_in_transaction_session_timeout: 10_000,
  });
  // Each connection tells by itself.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => {
    // The pool listens to idle ones only; one that breaks between two statements would end the process.
    client.on('error', options.onError);
    if (options.databaseAnswersWithinMs !== undefined)
      closeWhenSilent(client, options.databaseAnswersWithinMs);
    client.query(planSettings).catch(options.onError);
    nameStatements(client);
  });
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
  pools.set(db, pool);
  return db;
}

/** Runs a query past Kysely's layers, which cost a third of a short one. Within a transaction only Kysely can. */
export async function runQuery<Row>(db: Db, query: CompiledQuery<Row>): Promise<Row[]> {
  const pool = pools.get(db);
  if (pool === undefined) return (await db.executeQuery<Row>(query)).rows;
  const client = await pool.connect();
  try {
    return (await client.query<Row & object>(query.sql, [...query.parameters])).rows;
  } finally {
    client.release();
  }
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
    // The last is said of a transaction's rollback, in place of why its connection broke.
    /Connection terminated|timeout exceeded when trying to connect|Cannot use a pool after|not queryable/.test(
      error.message,
    )
  );
}

/** Longer than Postgres takes to answer while it is there, and to refuse while it is not. */
const silentMs = 1_000;

/**
 * True where Postgres is away and was waited for, so that who asks after this one would only wait as long once more.
 * Not for a failure that came at once: it may be of one connection only, and costs the next one nothing to find out.
 * @param since `performance.now()` when it was asked.
 */
export function isDatabaseSilent(error: unknown, since: number): boolean {
  return isDatabaseAway(error) && performance.now() - since > silentMs;
}
