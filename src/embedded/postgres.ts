import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.ts';
import type { Home } from './home.ts';
import { readKeptFile } from './kept-file.ts';
import { lastLines, openLog, watchLog } from './logs.ts';
import { initialiseData } from './postgres-data.ts';
import { databasePassword, openDatabase, whyClosed } from './postgres-login.ts';
import { findPostgresInstallation, type PostgresInstallation, processOf } from './postgres-installation.ts';
import { commandLine, endProcess, findProcess, findProcesses, isRunning } from './processes.ts';
import type { ProcessIdentity } from './processes.ts';
import { findSocketPath } from './socket-path.ts';
import { StartError } from './start-error.ts';

export interface Postgres {
  readonly url: string;
  /** It was left running by a service that was killed. */
  readonly reused: boolean;
  readonly process: ProcessIdentity;
  /** Fast shutdown: open transactions are rolled back, what was committed is on disk. */
  stop(): Promise<void>;
}

/** Crash recovery replays at most this configuration's max_wal_size; a slow disk may need minutes for it. */
const readyWithinMs = 300_000;

/**
 * Starts the bundled Postgres on the home's data (made at the first start), or takes over the one that still
 * runs there. The caller holds the home's lock.
 * @param again the URL to answer at once more, after an unexpected end.
 */
export async function startPostgres(home: Home, again?: string): Promise<Postgres> {
  const installation = findPostgresInstallation(home);
  const password = databasePassword(home, installation);
  await initialiseData(home, installation, password);

  const before = again === undefined ? undefined : new URL(again);
  const running = await takeOver(installation);
  // Those who have its URL come back the way that it says.
  const socketFolder = before
    ? (before.searchParams.get('host') ?? undefined)
    : await findSocketFolder(installation.data);
  if (running) {
    watchLog(home, 'postgres');
    const url = await openDatabase(running.port, password, socketFolder).catch(() => null);
    if (url !== null) return handle(running.process, url, true);
    await stopProcess(running.process);
  }
  for (let attempt = 1; ; attempt += 1) {
    const port = before ? Number(before.port) : await freePort();
    const started = await spawnPostgres(home, installation, { port, socketFolder });
    if (started) {
      try {
        return handle(started, await openDatabase(port, password, socketFolder), false);
      } catch (error) {
        await stopProcess(started);
        throw new StartError(whyClosed(home, error as Error & { code?: string }));
      }
    }
    const log = lastLines(home, 'postgres', 15);
    // Between finding the free port and Postgres opening it another program may have taken it.
    if (attempt < 3 && log.includes('could not bind')) continue;
    throw new StartError(
      `Postgres did not start. The end of its log (${join(home.logs, 'postgres.log')}):\n${log}`,
    );
  }
}

/** Its data, which only its user and root can enter. Postgres takes a comma for the end of a folder's name. */
async function findSocketFolder(data: string): Promise<string | undefined> {
  const path = /[",]/.test(data) ? undefined : await findSocketPath(data, `${socketName}65535`);
  return path === undefined ? undefined : data;
}

const socketName = '.s.PGSQL.';

/** Shown in the title of every process of this Postgres, so that they are found after a crash. */
function clusterName(data: string): string {
  return `quarry-${createHash('sha256').update(data).digest('hex').slice(0, 16)}`;
}

/** postmaster.pid: pid, data folder, start time, port, socket folder, address, shared memory, status. */
function readPidFile(data: string): { pid: number; port: number; ready: boolean } | undefined {
  const text = readKeptFile(join(data, 'postmaster.pid'));
  if (text === undefined) return undefined;
  const lines = text.split('\n');
  return { pid: Number(lines[0]), port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' };
}

/** The Postgres already running on this data; what a dead one left behind is cleared away. */
async function takeOver(
  installation: PostgresInstallation,
): Promise<{ process: ProcessIdentity; port: number } | undefined> {
  const file = readPidFile(installation.data);
  const owner =
    file && commandLine(file.pid).includes(`-D\0${installation.data}\0`) ? findProcess(file.pid) : undefined;
  if (owner) {
    const port = await untilReady(installation.data, owner);
    if (port) return { process: owner, port };
    await stopProcess(owner);
  }
  // Orphans of a killed postmaster hold its shared memory until they notice; a new one refuses to start beside.
  const title = `postgres: ${clusterName(installation.data)}: `;
  const orphans = findProcesses((line) => line.startsWith(title));
  await Promise.all(orphans.map((orphan) => endProcess(orphan, 'SIGQUIT', 5_000)));
  // A stranger may have been given the dead postmaster's number (new container), which Postgres takes for alive.
  if (file) rmSync(join(installation.data, 'postmaster.pid'), { force: true });
  // Postgres clears away those of the port that it opens, unless a stranger has the number in their lock file, too.
  for (const name of readdirSync(installation.data))
    if (name.startsWith(socketName)) rmSync(join(installation.data, name), { force: true });
  return undefined;
}

async function untilReady(data: string, postmaster: ProcessIdentity): Promise<number | undefined> {
  const deadline = performance.now() + readyWithinMs;
  while (isRunning(postmaster) && performance.now() < deadline) {
    const file = readPidFile(data);
    if (file?.ready && file.pid === postmaster.pid) return file.port;
    await sleep(10);
  }
  return undefined;
}

async function spawnPostgres(
  home: Home,
  installation: PostgresInstallation,
  { port, socketFolder = '' }: { port: number; socketFolder: string | undefined },
): Promise<ProcessIdentity | undefined> {
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: socketFolder,
    cluster_name: clusterName(installation.data),
    max_connections: '200',
    shared_buffers: '64MB',
    max_wal_size: '512MB',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    lc_messages: 'C',
  };
  const log = openLog(home, 'postgres');
  const child = spawn(
    join(installation.program.folder, 'bin/postgres'),
    [
      '-D',
      installation.data,
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    // A session of its own: Ctrl-C in the terminal must not stop the database before those who use it.
    { ...processOf(installation), stdio: ['ignore', log.fd, log.fd] },
  );
  log.close();
  child.on('error', () => {}); // no pid then, reported by the caller
  child.unref();
  const postmaster = child.pid === undefined ? undefined : findProcess(child.pid);
  if (postmaster === undefined) return undefined;
  if (await untilReady(installation.data, postmaster)) return postmaster;
  await stopProcess(postmaster);
  return undefined;
}

function handle(identity: ProcessIdentity, url: string, reused: boolean): Postgres {
  return { url, reused, process: identity, stop: () => stopProcess(identity) };
}

async function stopProcess(postmaster: ProcessIdentity): Promise<void> {
  if (await endProcess(postmaster, 'SIGINT', 10_000)) return;
  if (await endProcess(postmaster, 'SIGQUIT', 5_000)) return;
  await endProcess(postmaster, 'SIGKILL', 5_000);
}
