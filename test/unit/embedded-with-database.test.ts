import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrateGiven } from '../../src/embedded/given-database.ts';
import { tryLockHome } from '../../src/embedded/home-lock.ts';
import { openHome } from '../../src/embedded/home.ts';
import { startPostgres } from '../../src/embedded/postgres.ts';
import { openSecrets } from '../../src/embedded/secrets.ts';
import { StartError } from '../../src/embedded/start-error.ts';
import { withDatabase } from '../../src/embedded/with-database.ts';
import { readAccountConfig } from '../../src/shared/config.ts';
import { createDb } from '../../src/shared/db/client.ts';
import { connectUnbounded } from '../../src/shared/db/connections.ts';
import { migrate } from '../../src/shared/db/migrate.ts';
import { refuseOldSchema } from '../../src/shared/db/refuse-schema.ts';

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

/** Of a program that fails: all that it prints. */
function failureOf(program: string, databaseUrl: string, args: string[] = []): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join('src', program), ...args], {
    encoding: 'utf8',
    env: { ...process.env, DATABASE_URL: databaseUrl, KEY_ENCRYPTION_KEYS: `1:${'A'.repeat(43)}=` },
  });
  expect(status).toBe(1);
  return (stdout + stderr).trim();
}

/** What needs a Postgres that is there. */
async function checkDatabase(databaseUrl: string): Promise<void> {
  // As where the role has a bound.
  const address = new URL(databaseUrl);
  address.searchParams.set(
    'options',
    '-c statement_timeout=60000 -c idle_in_transaction_session_timeout=10000',
  );
  const bounded = address.href;
  const bounds = `select current_setting('statement_timeout') || current_setting('idle_in_transaction_session_timeout') as both`;
  const client = await connectUnbounded(bounded);
  expect((await client.query(bounds)).rows).toEqual([{ both: '00' }]);
  await client.end();
  const open = (isUnbounded: boolean) =>
    createDb({ url: bounded, poolSize: 1, onError: () => undefined, isUnbounded });
  for (const [isUnbounded, both] of [
    [true, '00'],
    [false, '1min10s'],
  ] as const) {
    const db = open(isUnbounded);
    expect((await sql.raw(bounds).execute(db)).rows).toEqual([{ both }]);
    await db.destroy();
  }
  const db = open(false);
  await refuseOldSchema(db);
  await sql`delete from kysely_migration where name = '0030-dead-files'`.execute(db);
  await expect(refuseOldSchema(db)).rejects.toThrow(/lacks migrations of this version \(0030-dead-files\)/);
  await sql`alter table kysely_migration rename to away`.execute(db);
  await expect(refuseOldSchema(db)).rejects.toThrow('0001-core');
  expect(failureOf('admin/main.ts', databaseUrl, ['user', 'list'])).toMatch(
    /lacks migrations of this version \(0001-core to \S+, \d+ in all\)\. Run `npm run migrate` first$/,
  );
  const backup = ['backup', 'create', '--to', join(folder, 'none.gz')];
  expect(failureOf('admin/main.ts', databaseUrl, backup)).toMatch(/no tables of Quarry/);
  await sql`alter table away rename to kysely_migration`.execute(db);
  await sql`insert into kysely_migration values ('0030-dead-files', now()), ('9999-later', now())`.execute(
    db,
  );
  await expect(migrate(databaseUrl)).rejects.toThrow(
    /A newer version has migrated the database \(9999-later\)/,
  );
  await sql`delete from kysely_migration where name = '9999-later'`.execute(db);
  await db.destroy();
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
  await expect(countJobs(second.databaseUrl)).rejects.toThrow(/ECONNREFUSED|connect ENOENT/);
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
  await checkDatabase(postgres.url);
  await postgres.stop();
  lock?.[Symbol.dispose]();
});

test('a command that fails gives the database back', async () => {
  await expect(withDatabase(env, () => Promise.reject(new Error('no such user')))).rejects.toThrow(
    'no such user',
  );
  await expect(withDatabase(env, () => Promise.resolve('free'))).resolves.toBe('free');
});

test('for a DATABASE_URL no secrets are made, and those that are there are told', async () => {
  const elsewhere = join(folder, 'unmade');
  const given = { DATABASE_URL: 'postgres://db.example/quarry', LINK_SECRET: 'x'.repeat(40) };
  const secretsIn = (home: string) =>
    withDatabase({ ...given, QUARRY_HOME: home }, ({ secrets }) => Promise.resolve(secrets));
  const known = await secretsIn(elsewhere);
  expect(known).toEqual({ LINK_SECRET: given.LINK_SECRET });
  expect(existsSync(elsewhere)).toBe(false);
  expect(() => readAccountConfig({ ...known }).KEY_ENCRYPTION_KEYS).toThrow('KEY_ENCRYPTION_KEYS is missing');
  expect(Object.keys(readAccountConfig({ ...known }).PLANS)).toContain('pro');
  expect(await secretsIn(env['QUARRY_HOME'] ?? '')).toEqual({ ...openSecrets(openHome(env), env), ...known });
});

test('a DATABASE_URL that leads nowhere is told as such, without its password', async () => {
  const url = 'postgres://nobody:hidden@127.0.0.1:1/quarry';
  const ofCommand = () => withDatabase({ DATABASE_URL: url }, ({ databaseUrl }) => countJobs(databaseUrl));
  for (const reach of [() => migrateGiven(url), ofCommand]) {
    const failure = await reach().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StartError);
    const { message } = failure as StartError;
    expect(message).toMatch(/^The database of DATABASE_URL, 127\.0\.0\.1:1\/quarry, cannot be reached/);
    expect(message).not.toContain('hidden');
  }
  const printed = failureOf('shared/db/migrate-main.ts', url);
  expect(printed).toMatch(
    /^The database of DATABASE_URL, 127\.0\.0\.1:1\/quarry, cannot be reached: .*ECONNREFUSED/,
  );
  expect(printed).not.toMatch(/\n|hidden|bundled/);
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
