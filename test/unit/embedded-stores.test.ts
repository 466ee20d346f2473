import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Redis as RedisClient } from 'ioredis';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openHome, type Home } from '../../src/embedded/home.ts';
import { startPostgres, type Postgres } from '../../src/embedded/postgres.ts';
import { endProcess, findProcesses, isRunning } from '../../src/embedded/processes.ts';
import { startRedis } from '../../src/embedded/redis.ts';

let folder: string;
let home: Home;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quarry-stores-'));
  chmodSync(folder, 0o755); // or root's Postgres could not enter and would keep its data outside
  home = openHome({ QUARRY_HOME: join(folder, 'home') });
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

describe('the bundled Postgres', () => {
  let postgres: Postgres;

  afterAll(() => postgres.stop());

  test('starts on an empty home: UTF-8, durable, on loopback alone, with a password', async () => {
    postgres = await startPostgres(home);
    expect(postgres.reused).toBe(false);
    const [settings] = await query(
      postgres.url,
      `SELECT current_setting('fsync') fsync, current_setting('server_encoding') encoding,
              current_setting('listen_addresses') addresses, upper('zürich') upper`,
    );
    const [role] = await query(postgres.url, 'select rolsuper from pg_roles where rolname = current_user');
    expect(role).toEqual({ rolsuper: false });
    expect(settings).toEqual({ fsync: 'on', encoding: 'UTF8', addresses: '127.0.0.1', upper: 'ZÜRICH' });
    await expect(query(postgres.url.replace(/:[^:@]+@/, ':wrong@'), 'SELECT 1')).rejects.toThrow(/password/);
    expect(statSync(home.postgresPasswordFile).mode & 0o777).toBe(0o600);
    expect(statSync(home.postgresData).mode & 0o777).toBe(0o700);
  });

  test('that still runs after its parent was killed is taken over', async () => {
    const again = await startPostgres(home);
    expect(again).toMatchObject({ reused: true, url: postgres.url, process: postgres.process });
  });

  test('is spoken to by a Unix socket, and by TCP where it is taken over without one', async () => {
    const socket = join(home.postgresData, `.s.PGSQL.${new URL(postgres.url).port}`);
    expect(new URL(postgres.url).searchParams.get('host')).toBe(home.postgresData);
    const byAddress = 'select client_addr from pg_stat_activity where pid = pg_backend_pid()';
    expect(await query(postgres.url, byAddress)).toEqual([{ client_addr: null }]);
    // As one that an older version has started.
    renameSync(socket, `${socket}.away`);
    const again = await startPostgres(home);
    expect(again).toMatchObject({ reused: true, process: postgres.process });
    expect(await query(again.url, byAddress)).toEqual([{ client_addr: '127.0.0.1' }]);
    renameSync(`${socket}.away`, socket);
  });

  test('keeps what was committed over kill -9', async () => {
    await query(postgres.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await endProcess(postgres.process, 'SIGKILL', 5_000);
    const old = postgres.process;
    const before = postgres.url;
    postgres = await startPostgres(home, before);
    expect(postgres.url).toBe(before);
    expect(postgres.process.pid).not.toBe(old.pid);
    expect(await query(postgres.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  });

  test('stops in order and starts again with what was committed', async () => {
    await postgres.stop();
    expect(isRunning(postgres.process)).toBe(false);
    postgres = await startPostgres(home);
    expect(await query(postgres.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  });

  test('starts although a stranger has the process number of a dead one', async () => {
    const pidFile = join(home.postgresData, 'postmaster.pid');
    const text = readFileSync(pidFile, 'utf8');
    await postgres.stop();
    const account = process.getuid?.() === 0 ? statSync(realpathSync(home.postgresData)) : undefined;
    const stranger = spawn('sleep', ['60'], account ? { uid: account.uid, gid: account.gid } : {});
    writeFileSync(pidFile, text.replace(/^\d+/, String(stranger.pid)));
    postgres = await startPostgres(home);
    expect(postgres.reused).toBe(false);
    expect(stranger.exitCode).toBeNull();
    stranger.kill();
    await once(stranger, 'exit');
  });

  test('of another major version is left as it is, with both versions named', async () => {
    await postgres.stop();
    const versionFile = join(home.postgresData, 'PG_VERSION');
    writeFileSync(versionFile, '15\n');
    await expect(startPostgres(home)).rejects.toThrow(/made by Postgres 15; the bundled one is Postgres 18/);
    expect(readFileSync(versionFile, 'utf8')).toBe('15\n');
    writeFileSync(versionFile, '18\n');
    postgres = await startPostgres(home);
  });

  test.each([
    [
      'in only with another password',
      'postgres-password',
      'another',
      /does not accept the password in .*postgres-password/,
    ],
    [
      'in nobody',
      'postgres/pg_hba.conf',
      'host all all 127.0.0.1/32 reject',
      /cannot be used: pg_hba.conf rejects/,
    ],
  ])('that lets %s is reported for what it says, and is not left running', async (_, name, text, reason) => {
    await postgres.stop();
    const file = join(home.path, name);
    const kept = readFileSync(file, 'utf8');
    writeFileSync(file, `${text}\n`);
    await expect(startPostgres(home)).rejects.toThrow(reason);
    const data = realpathSync(home.postgresData);
    expect(findProcesses((line) => line.includes(`-D\0${data}\0`))).toEqual([]);
    writeFileSync(file, kept);
    postgres = await startPostgres(home);
  });

  test('whose password file is lost is reported', async () => {
    const kept = join(folder, 'password');
    cpSync(home.postgresPasswordFile, kept);
    rmSync(home.postgresPasswordFile);
    await expect(startPostgres(home)).rejects.toThrow(/postgres-password is missing/);
    cpSync(kept, home.postgresPasswordFile);
  });
});

describe('the Redis of a home', () => {
  const onlyNode = { PATH: dirname(process.execPath) };
  const ownServer = ['redis-server', 'valkey-server'].find((name) => {
    try {
      return execFileSync('/bin/sh', ['-c', `command -v ${name}`], { encoding: 'utf8' });
    } catch {
      return false;
    }
  });

  async function append(url: string, key: string): Promise<number> {
    const client = new RedisClient(url, { retryStrategy: null });
    client.on('error', () => {});
    try {
      return Number(await client.eval("return redis.call('RPUSH', KEYS[1], 'x')", 1, key));
    } finally {
      client.disconnect();
    }
  }

  test('is the bundled one where none is on PATH: with a password, at the same address again', async () => {
    const redis = await startRedis(home, onlyNode);
    expect(redis.kind).toBe('js-redis-server');
    expect(new URL(redis.url).searchParams.get('path')).toBe(join(home.redisData, 'socket'));
    expect(await append(redis.url, 'list')).toBe(1);
    await expect(append(redis.url.replace(/:[^:@]+@/, ':wrong@'), 'list')).rejects.toThrow();
    const again = redis.stop().then(() => startRedis(home, onlyNode, redis.url));
    expect((await again).url).toBe(redis.url);
    expect(await append(redis.url, 'list')).toBe(1);
    await (await again).stop();
  });

  test('is the bundled one, with the reason, where the one on PATH is too old or does not start', async () => {
    const bin = mkdtempSync(join(folder, 'bin-'));
    writeFileSync(join(bin, 'redis-server'), '#!/bin/sh\necho "Redis server v=5.0.3"\n', { mode: 0o755 });
    writeFileSync(join(bin, 'valkey-server'), '#!/bin/sh\necho "broken"; exit 1\n', { mode: 0o755 });
    const redis = await startRedis(home, { PATH: `${bin}:/usr/bin:/bin` });
    expect(redis.kind).toBe('js-redis-server');
    expect(redis.note).toMatch(/version 5.0, at least 6.2 is needed.*valkey-server is not used/);
    await redis.stop();
  });

  test.skipIf(!ownServer)('is the one on PATH, which keeps its data over a restart', async () => {
    const redis = await startRedis(home, process.env);
    expect(redis.kind).toBe(ownServer);
    expect(new URL(redis.url).searchParams.get('path')).toBe(join(home.redisData, 'socket'));
    expect(await append(redis.url, 'list')).toBe(1);
    await redis.stop();
    const again = await startRedis(home, process.env);
    expect(await append(again.url, 'list')).toBe(2);
    await again.stop();
    // Where it no longer starts, the bundled one answers those who have its address.
    const bundled = await startRedis(home, onlyNode, again.url);
    expect(bundled).toMatchObject({ kind: 'js-redis-server', url: again.url });
    expect(await append(again.url, 'list')).toBe(1);
    await bundled.stop();
  });
});
