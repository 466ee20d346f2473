import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { endLeftovers, findHolder, tryLockHome } from '../../src/embedded/home-lock.ts';
import { homePath, openHome, type Home } from '../../src/embedded/home.ts';
import { openLog } from '../../src/embedded/logs.ts';
import { endProcess, findProcess, isRunning } from '../../src/embedded/processes.ts';
import { openSecrets } from '../../src/embedded/secrets.ts';

let folder: string;
let home: Home;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quarry-home-'));
  home = openHome({ QUARRY_HOME: join(folder, 'home') });
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('the home folder', () => {
  test('is QUARRY_HOME, else .quarry in the home of the user', () => {
    expect(homePath({ QUARRY_HOME: '/srv/quarry', HOME: folder })).toBe('/srv/quarry');
    expect(homePath({ HOME: folder })).toBe(join(folder, '.quarry'));
  });

  test('is found also where HOME is empty or names a folder that is not there', () => {
    expect(homePath({ HOME: '' })).toMatch(/\/\.quarry$/);
    expect(homePath({ HOME: '/nonexistent' })).not.toContain('nonexistent');
  });

  test('cannot be listed by others, and a folder that stands already keeps its mode', () => {
    expect(statSync(home.path).mode & 0o066).toBe(0);
    mkdirSync(join(folder, 'volume'), { mode: 0o755 });
    openHome({ QUARRY_HOME: join(folder, 'volume') });
    expect(statSync(join(folder, 'volume')).mode & 0o777).toBe(0o755);
  });

  test('that cannot be made is reported with what to do', () => {
    writeFileSync(join(folder, 'file'), '');
    expect(() => openHome({ QUARRY_HOME: join(folder, 'file', 'home') })).toThrow(
      /Set QUARRY_HOME to a folder/,
    );
  });
});

describe('the lock of a home', () => {
  test('is held by one process at a time and says by whom and where', () => {
    const lock = tryLockHome(home, 'service');
    lock?.announce({ address: 'http://127.0.0.1:3000' });
    expect(tryLockHome(home, 'service')).toBeUndefined();
    expect(findHolder(home)).toMatchObject({ pid: process.pid, address: 'http://127.0.0.1:3000' });
    lock?.[Symbol.dispose]();
    expect(findHolder(home)).toBeUndefined();
    const next = tryLockHome(home, 'command');
    expect(next).toBeDefined();
    next?.[Symbol.dispose]();
  });

  test('of a process killed with -9 is taken over, and what that left running is ended', async () => {
    const script = join(folder, 'hold.ts');
    const module = join(import.meta.dirname, '../../src/embedded/home-lock.ts');
    writeFileSync(
      script,
      `import { spawn } from 'node:child_process';
       import { tryLockHome } from ${JSON.stringify(module)};
       import { findProcess } from ${JSON.stringify(module.replace('home-lock', 'processes'))};
       const child = spawn('sleep', ['60'], { stdio: 'ignore', detached: true });
       const lock = tryLockHome(${JSON.stringify(home)}, 'service');
       lock.announce({ children: [findProcess(child.pid)] });
       process.send(child.pid);
       setInterval(() => {}, 1000);`,
    );
    const holder = fork(script, { execArgv: ['--disable-warning=ExperimentalWarning'] });
    const [orphanPid] = (await once(holder, 'message')) as [number];
    const orphan = findProcess(orphanPid);
    expect(tryLockHome(home, 'service')).toBeUndefined();
    holder.kill('SIGKILL');
    await once(holder, 'exit');

    const lock = tryLockHome(home, 'service');
    expect(lock?.leftovers).toEqual([orphan]);
    if (lock) await endLeftovers(lock);
    expect(orphan && isRunning(orphan)).toBe(false);
    expect(findHolder(home)?.children).toEqual([]);
    lock?.[Symbol.dispose]();
  });

  test('never ends a process that only got the number of an old one', async () => {
    const stranger = spawn('sleep', ['60'], { stdio: 'ignore' });
    const identity = { pid: stranger.pid ?? 0, startTicks: '1' };
    expect(await endProcess(identity, 'SIGKILL', 0)).toBe(true);
    expect(findProcess(identity.pid)).toBeDefined();
    stranger.kill();
    await once(stranger, 'exit');
  });
});

test('a log is kept short also after its owner has closed it', () => {
  vi.useFakeTimers();
  try {
    openLog(home, 'long').close();
    const path = join(home.logs, 'long.log');
    truncateSync(path, 11 * 1024 * 1024);
    vi.advanceTimersByTime(61_000);
    expect([statSync(path).size, statSync(`${path}.1`).size]).toEqual([0, 11 * 1024 * 1024]);
  } finally {
    vi.useRealTimers();
  }
});

describe('the secrets of a home', () => {
  test('are made once, are random and readable by the owner alone', () => {
    const made = openSecrets(home, {});
    expect(made.KEY_ENCRYPTION_KEYS).toMatch(/^1:[A-Za-z0-9+/]{43}=$/);
    expect(Buffer.from(made.SESSION_SECRET, 'base64url')).toHaveLength(32);
    expect(made.SESSION_SECRET).not.toBe(made.LINK_SECRET);
    expect(statSync(home.secretsFile).mode & 0o777).toBe(0o600);
    expect(openSecrets(home, {})).toEqual(made);
  });

  test('give way to the environment and are kept beside it', () => {
    const made = openSecrets(home, {});
    const mine = 'x'.repeat(40);
    expect(openSecrets(home, { SESSION_SECRET: mine })).toEqual({ ...made, SESSION_SECRET: mine });
    expect(openSecrets(home, {})).toEqual(made);
  });

  test.each([
    ['not JSON', '{"KEY_ENC'],
    ['empty', ''],
    ['without a secret', '{"KEY_ENCRYPTION_KEYS":"1:AAAA","SESSION_SECRET":"short"}'],
  ])('that are damaged (%s) are reported, not quoted and not replaced', (_, damaged) => {
    writeFileSync(home.secretsFile, damaged);
    expect(() => openSecrets(home, {})).toThrow(/is damaged .* put it back from a backup/);
    expect(() => openSecrets(home, {})).not.toThrow(/AAAA|short/);
    expect(readFileSync(home.secretsFile, 'utf8')).toBe(damaged);
  });

  test('that are lost while there is a database are not made anew', () => {
    mkdirSync(home.postgresData);
    expect(() => openSecrets(home, {})).toThrow(/secrets.json is missing/);
  });
});
