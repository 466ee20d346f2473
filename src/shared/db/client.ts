import { Kysely, PostgresDialect } from 'kysely';
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
}

/**
 * A plan that is kept was made when its table was small, where reading all of it looked cheapest, and is used when
 * it has grown: each query of a job's life has an index, and compiling a plan takes longer than any of them.
 */
const planSettings = 'set enable_seqscan = off; set jit = off';

/** Of a look-up, and of a new connection. */
const answerWithinMs = 5_000;

const nameMark = /^\s*-- prepared: (\S+)\n/;

/**
 * Statements that begin with `-- prepared: <name>` are parsed and planned once a connection: those of the life
 * of a job take longer to plan than to run. A name stands for one text. Its arrays stand behind a select: where
 * Postgres sees how many values they have, it deems a plan made for just them the cheaper, and makes one each time.
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

/** Connects on the first query, not before. */
export function createDb(options: DbOptions): Db {
  const pool = new Pool({
    connectionString: options.url,
    max: options.poolSize,
    connectionTimeoutMillis: answerWithinMs,
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
    client.query(planSettings).catch(options.onError);
    nameStatements(client);
  });
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
}

/**
 * The answer of a read that somebody waits for, while Postgres may hang. Not for writes: they may still happen.
 * @throws Error of which `isDatabaseAway` is true.
 */
export async function answeredInTime<T>(read: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('Postgres is silent')), answerWithinMs);
  return await Promise.race([read, late]).finally(() => clearTimeout(timer));
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
    /Connection terminated|timeout exceeded when trying to connect|Cannot use a pool after|Postgres is silent/.test(
      error.message,
    )
  );
}
