import pg from 'pg';
import { ConfigError } from '../config.ts';
import { connectWithinMs, sessionSettings } from './connections.ts';

/** A pool that others use too may hand out a connection of its own for a while. */
const attempts = 5;

const refusal =
  'DATABASE_URL leads through a pool that gives each transaction another connection (PgBouncer: pool_mode ' +
  'transaction). Prepared statements and settings of a session do not hold there. Set DATABASE_URL to Postgres ' +
  'itself, or to a pool with pool_mode = session; DATABASE_POOL bounds the connections of each process';

const askPid = async (client: pg.Client) =>
  (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid;

/** Two connections of a session each have a server process of their own, always the same one. */
async function isPooledByTransaction(first: pg.Client, second: pg.Client): Promise<boolean> {
  const seen = new Map<pg.Client, Set<number | undefined>>([
    [first, new Set()],
    [second, new Set()],
  ]);
  for (let attempt = 0; attempt < attempts; attempt++) {
    for (const [client, pids] of seen) pids.add(await askPid(client));
  }
  const pids = [...seen.values()].flatMap((own) => [...own]);
  return pids.length > 2 || new Set(pids).size < 2;
}

/**
 * Nothing where Postgres is away, or does not tell: that is no reason not to start.
 * @throws ConfigError where the connection is not one session of Postgres, and what to set.
 */
export async function refusePooler(url: string): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const connect = async () => {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: connectWithinMs,
      // A pool that is full keeps its clients waiting.
      query_timeout: connectWithinMs,
      ...sessionSettings,
    });
    client.on('error', () => undefined);
    stack.defer(() => client.end().catch(() => undefined));
    await client.connect();
    return client;
  };
  try {
    const first = await connect();
    // Postgres tells each connection its process; a pool tells a number of its own.
    const told = (first as pg.Client & { processID: number | null }).processID;
    if ((await askPid(first)) === told) return;
    if (await isPooledByTransaction(first, await connect())) throw new ConfigError([refusal]);
  } catch (error) {
    if (error instanceof Error && /unsupported startup parameter/.test(error.message)) {
      throw new ConfigError([
        `DATABASE_URL leads to a pool that refuses the settings of a session (${error.message}). Set it to Postgres ` +
          `itself, or let PgBouncer, with pool_mode = session, ignore_startup_parameters = ` +
          `${Object.keys(sessionSettings).join(',')}, and set these for the role: docs/operating.md`,
      ]);
    }
    if (error instanceof ConfigError) throw error;
  }
}
