import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tryLockHome } from '../../src/embedded/home-lock.ts';
import { openHome } from '../../src/embedded/home.ts';
import { startPostgres } from '../../src/embedded/postgres.ts';
import { openSecrets } from '../../src/embedded/secrets.ts';
import { withDatabase } from '../../src/embedded/with-database.ts';

let folder: string;
let env: Record<string, string>;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quarry-database-'));
  chmodSync(folder, 0o755); // or root's Postgres could not enter and would keep its data outside
  env = { QUARRY_HOME: join(folder, 'home') };
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function countJobs(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ count: number }>('SELECT count(*)::int AS count FROM jobs');
  await client.end();
  return rows[0]?.count ?? -1;
}

test('before the first start, two commands at once each get the database, one after the other', async () => {
  let inside = 0;
  let most = 0;
  const command = () =>
    withDatabase(env, async ({ databaseUrl, secrets }) => {
      most = Math.max(most, (inside += 1));
      const jobs = await countJobs(databaseUrl);
      inside -= 1;
      return { jobs, secrets, databaseUrl };
    });
  const [first, second] = await Promise.all([command(), command()]);
  expect(first.jobs).toBe(0);
  expect(second.secrets).toEqual(first.secrets);
  expect(most).toBe(1);
  await expect(countJobs(second.databaseUrl)).rejects.toThrow(/ECONNREFUSED/);
});

test('while the service starts it waits, then joins the database of the service and leaves it running', async () => {
  const home = openHome(env);
  const lock = tryLockHome(home, 'service');
  let joined: string | undefined;
  const command = withDatabase(env, ({ databaseUrl }) => {
    joined = databaseUrl;
    return Promise.resolve();
  });
  const postgres = await startPostgres(home);
  expect(joined).toBeUndefined();
  lock?.announce({ databaseUrl: postgres.url });
  await command;
  expect(joined).toBe(postgres.url);
  expect(await countJobs(postgres.url)).toBe(0);
  await postgres.stop();
  lock?.[Symbol.dispose]();
});

test('a command that fails gives the database back', async () => {
  await expect(withDatabase(env, () => Promise.reject(new Error('no such user')))).rejects.toThrow(
    'no such user',
  );
  await expect(withDatabase(env, () => Promise.resolve('free'))).resolves.toBe('free');
});

test('DATABASE_URL is used as it is, and a home is not made when all secrets are given', async () => {
  const secrets = openSecrets(openHome(env), env);
  const elsewhere = join(folder, 'unused');
  const access = await withDatabase(
    { ...secrets, QUARRY_HOME: elsewhere, DATABASE_URL: 'postgres://db.example/quarry' },
    (given) => Promise.resolve(given),
  );
  expect(access).toEqual({ databaseUrl: 'postgres://db.example/quarry', secrets });
  expect(existsSync(elsewhere)).toBe(false);
});
