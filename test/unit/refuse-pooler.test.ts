import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../src/embedded/free-port.ts';
import { openHome } from '../../src/embedded/home.ts';
import { startPostgres } from '../../src/embedded/postgres.ts';
import { createDb } from '../../src/shared/db/client.ts';
import { migrate } from '../../src/shared/db/migrate.ts';
import { refusePooler } from '../../src/shared/db/refuse-pooler.ts';
import { findProgramOnPath } from '../../src/shared/programs-on-path.ts';

const program = findProgramOnPath('pgbouncer', process.env['PATH'] ?? '');

describe.skipIf(program === undefined)('a PgBouncer in front of Postgres (needs pgbouncer on PATH)', () => {
  const disposables = new AsyncDisposableStack();
  let folder: string;
  let url: URL;

  beforeAll(async () => {
    folder = disposables.adopt(await mkdtemp(join(tmpdir(), 'quarry-pooler-')), (path) =>
      rm(path, { recursive: true, force: true }),
    );
    await chmod(folder, 0o755);
    const postgres = await startPostgres(openHome({ QUARRY_HOME: join(folder, 'home') }));
    disposables.defer(() => postgres.stop());
    url = new URL(postgres.url);
  });
  afterAll(() => disposables.disposeAsync());

  /** @returns the URL through it. */
  async function startPooler(settings: Record<string, string>): Promise<string> {
    const port = await freePort();
    const users = join(folder, `users-${port}`);
    await writeFile(users, `"${url.username}" "${decodeURIComponent(url.password)}"\n`, { mode: 0o644 });
    const all = {
      listen_addr: '127.0.0.1',
      listen_port: port,
      auth_type: 'scram-sha-256',
      auth_file: users,
      ...settings,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
    const file = join(folder, `pgbouncer-${port}.ini`);
    await writeFile(
      file,
      `[databases]\n* = host=127.0.0.1 port=${url.port}\n[pgbouncer]\nunix_socket_dir =\n${lines.join('\n')}\n`,
    );
    // It refuses to run as root.
    const account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const pooler = spawn(program ?? '', [file], { stdio: 'ignore', ...account });
    disposables.defer(async () => {
      const exited = once(pooler, 'exit');
      pooler.kill('SIGKILL');
      await exited;
    });
    const through = new URL(url);
    through.search = ''; // no Unix socket beside it
    through.port = String(port);
    await expect
      .poll(async () => {
        const client = new pg.Client({ connectionString: through.href });
        client.on('error', () => undefined);
        return await client.connect().then(
          () => client.end().then(() => 'there'),
          (error: Error) => error.message,
        );
      })
      .toBe('there');
    return through.href;
  }

  const ignores = 'statement_timeout,idle_in_transaction_session_timeout';

  test('Postgres itself is taken, and one that is away refuses nothing', async () => {
    await refusePooler(url.href);
    await refusePooler('postgres://nobody:pw@127.0.0.1:1/quarry');
  });

  test('one that pools by transaction is refused, with what to set', async () => {
    const through = await startPooler({ pool_mode: 'transaction', ignore_startup_parameters: ignores });
    await expect(refusePooler(through)).rejects.toThrow(
      /gives each transaction another connection.*pool_mode = session/,
    );
  });

  test('one that refuses the settings of a session is refused, with the line that it lacks', async () => {
    const through = await startPooler({ pool_mode: 'session' });
    await expect(refusePooler(through)).rejects.toThrow(`ignore_startup_parameters = ${ignores}`);
  });

  test('one that pools by session is taken', async () => {
    const through = await startPooler({ pool_mode: 'session', ignore_startup_parameters: ignores });
    await refusePooler(through);
    expect(await migrate(through)).not.toEqual([]);
    const db = createDb({ url: through, poolSize: 2, keepsPlans: true, onError: () => undefined });
    expect(await db.selectFrom('jobs').select('id').execute()).toEqual([]);
    await db.destroy();
  });
});
