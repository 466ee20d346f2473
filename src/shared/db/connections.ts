import type { Socket } from 'node:net';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import { Client, Pool, type PoolClient, Query, type QueryResult, type QueryResultRow } from 'pg';

export interface ConnectionOptions {
  url: string;
  /** Connections at most. */
  poolSize: number;
  /** Told of the errors of connections that no query is under way on. */
  onError: (error: Error) => void;
  /**
   * A connection on which nothing moves for longer while a query waits for its answer is closed; large values are
   * given a second more for each 4 MB. Default: only Postgres has a bound, 60 s.
   */
  databaseAnswersWithinMs?: number;
  /**
   * For statements whose plans are kept (see prepared.ts). Such a plan was made when its table was small, where
   * reading all of it looked cheapest, and is used when it has grown: each of these statements has an index, and
   * compiling a plan takes longer than any of them. Default false: Postgres plans as it sees fit.
   */
  keepsPlans?: boolean;
  /** For migrations: a statement takes as long as it takes, also where the role has a bound. Default false: 60 s. */
  isUnbounded?: boolean;
}

export interface Connection {
  query<Row extends QueryResultRow>(text: string, values?: readonly unknown[]): Promise<QueryResult<Row>>;
  /** @param destroy the connection is in a state that nobody knows. */
  release(destroy?: boolean): void;
}

/** Connections to Postgres as Kysely's driver wants them. */
export interface Connections extends PostgresPool {
  connect(): Promise<Connection & PostgresPoolClient>;
}

export const connectWithinMs = 5_000;

/** Told to Postgres with each connection, in milliseconds. */
export const sessionSettings = {
  statement_timeout: 60_000,
  // A process that hangs or is cut off in mid-transaction must not keep its locks from the others.
  idle_in_transaction_session_timeout: 10_000,
} as const;

/** Said to Postgres: the role of a connection may have bounds of its own (docs/operating.md). */
const unboundedSettings = Object.keys(sessionSettings)
  .map((name) => `set ${name} = 0`)
  .join('; ');

/** What Postgres calls the connections of a process. */
export const applicationName = (pid: number): string => `quarry ${pid}`;

const keptPlanSettings = 'set enable_seqscan = off; set jit = off';
const bytesPerSecond = 4 * 1024 * 1024;

const nameMark = /^\s*-- prepared: (\S+)\n/;

function sizeOf(values: readonly unknown[]): number {
  let bytes = 0;
  for (const value of values) {
    if (typeof value === 'string' || Buffer.isBuffer(value)) bytes += value.length;
  }
  return bytes;
}

interface Statement {
  /** Of one that is parsed and planned once a connection. */
  name?: string | undefined;
  text: string;
  values: unknown[];
}

/** Asks with a callback: a statement that has a name, an object, pg would copy property by property, which takes long. */
function ask(client: PoolClient, { name, text, values }: Statement): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const query = new Query(text, values, (error, result) => {
      if (error) reject(error);
      else resolve(result);
    });
    client.query(Object.assign(query, { name }));
  });
}

/**
 * Statements that begin with `-- prepared: <name>` are parsed and planned once a connection: those of the life
 * of a job take longer to plan than to run. A name stands for one text. Its arrays stand behind a select, as in
 * `Shape.rows` of prepared.ts, which says why.
 */
async function run(client: PoolClient, text: string, values: unknown[]): Promise<unknown> {
  const name = nameMark.exec(text)?.[1];
  try {
    return await ask(client, { name, text, values });
  } catch (error) {
    // A migration changed the table under the plan; the unnamed statement is planned anew.
    const isStale = error instanceof Error && 'code' in error && error.code === '0A000';
    if (name !== undefined && isStale) return await ask(client, { text, values });
    // Its own stack leads to the socket, as a rule.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  }
}

/**
 * Closes the connection where nothing comes back for too long. What waits for an answer then fails as where Postgres
 * is away. Whether a write has happened stays unknown, as with every connection that breaks; but one whose other
 * end is gone without a word would swallow the next queries too.
 */
async function runWithin(
  withinMs: number,
  client: PoolClient,
  text: string,
  values: unknown[],
): Promise<unknown> {
  const stream = client.connection.stream as Socket;
  let received = stream.bytesRead;
  const timer = setInterval(() => {
    // A large answer that is on its way is one.
    if (stream.bytesRead === received) stream.destroy();
    received = stream.bytesRead;
  }, withinMs);
  try {
    return await run(client, text, values);
  } finally {
    clearInterval(timer);
  }
}

/** One connection on which a statement takes as long as it takes, for what is no request. */
export async function connectUnbounded(url: string): Promise<Client> {
  const client = new Client({
    connectionString: url,
    keepAlive: true,
    fallback_application_name: applicationName(process.pid),
  });
  // What is under way fails by itself.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(unboundedSettings);
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
}

/** A pool that connects on the first query, not before. */
export function createConnections(options: ConnectionOptions): Connections {
  const { databaseAnswersWithinMs: withinMs } = options;
  const pool = new Pool({
    connectionString: options.url,
    max: options.poolSize,
    connectionTimeoutMillis: connectWithinMs,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    // In `pg_stat_activity`: whose connection it is, where the address does not say so itself.
    fallback_application_name: applicationName(process.pid),
    ...(options.isUnbounded !== true && sessionSettings),
  });
  // Each connection tells by itself.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => {
    // The pool listens to idle ones only; one that breaks between two statements would end the process.
    client.on('error', options.onError);
    if (options.isUnbounded) client.query(unboundedSettings).catch(options.onError);
    if (options.keepsPlans) client.query(keptPlanSettings).catch(options.onError);
  });

  function query(client: PoolClient, text: string, values: readonly unknown[] = []): Promise<unknown> {
    const all = [...values];
    if (withinMs === undefined) return run(client, text, all);
    return runWithin(withinMs + (sizeOf(all) / bytesPerSecond) * 1_000, client, text, all);
  }

  // One for each client: Kysely knows a connection again by it.
  const wrapped = new WeakMap<PoolClient, Connection>();
  function wrap(client: PoolClient): Connection {
    const known = wrapped.get(client);
    if (known !== undefined) return known;
    const connection: Connection = {
      query: ((...asked: [string, unknown[]?]) => query(client, ...asked)) as Connection['query'],
      release: (destroy) => client.release(destroy),
    };
    wrapped.set(client, connection);
    return connection;
  }

  return {
    options: {},
    connect: async () => wrap(await pool.connect()) as Connection & PostgresPoolClient,
    end: () => pool.end(),
  };
}
