import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis as RedisClient } from 'ioredis';
import { findProgramOnPath } from '../shared/programs-on-path.ts';
import { smallYoungGeneration } from './children.ts';
import { freePort } from './free-port.ts';
import type { Home } from './home.ts';
import { lastLines, openLog } from './logs.ts';
import { endProcess, findProcess, isRunning, type ProcessIdentity } from './processes.ts';
import { findSocketPath } from './socket-path.ts';
import { StartError } from './start-error.ts';

export interface Redis {
  readonly url: string;
  readonly kind: 'redis-server' | 'valkey-server' | 'js-redis-server';
  readonly process: ProcessIdentity;
  /** Why a Redis on PATH was not used, for the terminal. */
  readonly note: string | undefined;
  stop(): Promise<void>;
}

/** The address to open again after an unexpected end, so that clients find their way back. */
export interface RedisAddress {
  readonly port: number;
  readonly password: string;
  /** A Unix socket beside the port. */
  readonly socket: string | undefined;
}

/** Long enough to load an append-only file of some GB. */
const readyWithinMs = 60_000;

/**
 * Starts a Redis on loopback and a Unix socket, with a password: the one on PATH (append-only file in the home), else the bundled
 * one, which keeps everything in memory. Nothing a client was promised is only in Redis, so either will do.
 * @param env in which the one on PATH is looked for and run.
 * @param again the URL to answer at once more.
 */
export async function startRedis(home: Home, env: NodeJS.ProcessEnv, again?: string): Promise<Redis> {
  mkdirSync(home.redisData, { recursive: true, mode: 0o700 });
  const address = again ? addressOf(again) : await newAddress(home);
  const notes: string[] = [];
  for (const kind of ['redis-server', 'valkey-server'] as const) {
    const program = findProgramOnPath(kind, env['PATH'] ?? '');
    if (!program) continue;
    const reason = whyNot(program) ?? (await tryServer(home, { program, env }, address));
    if (typeof reason !== 'string') return running(kind, reason, address, notes);
    notes.push(`${program} is not used: ${reason}`);
  }
  const child = await startJsRedis(home, address);
  return running('js-redis-server', child, address, notes);
}

async function newAddress(home: Home): Promise<RedisAddress> {
  return {
    port: await freePort(),
    password: randomBytes(24).toString('base64url'),
    socket: await findSocketPath(home.redisData, 'socket'),
  };
}

function addressOf(url: string): RedisAddress {
  const { port, password, searchParams } = new URL(url);
  return { port: Number(port), password, socket: searchParams.get('path') ?? undefined };
}

/** BullMQ wants 6.2 or later. */
function whyNot(program: string): string | undefined {
  try {
    const output = execFileSync(program, ['--version'], { encoding: 'utf8', timeout: 5_000 });
    const [, major, minor] = /v=(\d+)\.(\d+)/.exec(output) ?? [];
    if (!major || Number(major) * 100 + Number(minor) >= 602) return undefined;
    return `version ${major}.${minor}, at least 6.2 is needed`;
  } catch (error) {
    return (error as Error).message.split('\n')[0] ?? 'it does not run';
  }
}

/** The running server, or why it did not start. */
async function tryServer(
  home: Home,
  { program, env }: { program: string; env: NodeJS.ProcessEnv },
  address: RedisAddress,
): Promise<ProcessIdentity | string> {
  const { socket } = address;
  const log = openLog(home, 'redis');
  const child = spawn(program, ['-'], {
    detached: true, // Ctrl-C in the terminal must not stop it before those who use it
    cwd: home.redisData,
    env: { ...env, LC_ALL: 'C' },
    stdio: ['pipe', log.fd, log.fd],
  });
  log.close();
  child.on('error', () => {});
  child.stdin?.on('error', () => {});
  // By standard input: a command line is visible to every user of the machine.
  child.stdin?.end(
    [
      'bind 127.0.0.1',
      `port ${address.port}`,
      ...(socket === undefined ? [] : [`unixsocket ${JSON.stringify(socket)}`, 'unixsocketperm 700']),
      `requirepass ${address.password}`,
      `dir ${JSON.stringify(home.redisData)}`,
      'appendonly yes',
      'appendfsync everysec',
      'save ""',
      'maxmemory-policy noeviction',
      'daemonize no',
      '',
    ].join('\n'),
  );
  child.unref();
  const identity = child.pid === undefined ? undefined : findProcess(child.pid);
  if (identity && (await answers(address, identity))) return identity;
  if (identity) await endProcess(identity, 'SIGKILL', 2_000);
  return `it did not start: ${lastLines(home, 'redis', 1)}`;
}

async function answers(address: RedisAddress, server: ProcessIdentity): Promise<boolean> {
  const client = new RedisClient({
    host: '127.0.0.1',
    port: address.port,
    password: address.password,
    retryStrategy: () => 20,
    lazyConnect: true,
  });
  client.on('error', () => {}); // refused until it listens
  void client.connect().catch(() => {});
  const deadline = performance.now() + readyWithinMs;
  while (client.status !== 'ready' && isRunning(server) && performance.now() < deadline) await sleep(10);
  const answered = client.status === 'ready';
  client.disconnect();
  return answered;
}

async function startJsRedis(home: Home, address: RedisAddress): Promise<ProcessIdentity> {
  const log = openLog(home, 'redis');
  const child = fork(join(import.meta.dirname, 'js-redis.ts'), {
    detached: true,
    execArgv: ['--disable-warning=ExperimentalWarning', ...smallYoungGeneration],
    env: {},
    stdio: ['ignore', log.fd, log.fd, 'ipc'],
  });
  log.close();
  child.on('error', () => {}); // no pid then
  // As to a real one: neither a command line nor an environment is for secrets.
  child.send(address, () => {});
  const identity = child.pid === undefined ? undefined : findProcess(child.pid);
  if (identity && (await isReady(child))) return identity;
  throw new StartError(
    `The bundled Redis did not start. The end of its log:\n${lastLines(home, 'redis', 15)}`,
  );
}

async function isReady(child: ChildProcess): Promise<boolean> {
  const exited = once(child, 'exit').then(() => false);
  return await Promise.race([once(child, 'message').then(() => true), exited]);
}

function running(
  kind: Redis['kind'],
  identity: ProcessIdentity,
  { port, password, socket }: RedisAddress,
  notes: string[],
): Redis {
  // ioredis then connects by the socket, which costs both sides less than TCP.
  const path = socket === undefined ? '' : `?path=${encodeURIComponent(socket)}`;
  return {
    url: `redis://:${password}@127.0.0.1:${port}${path}`,
    kind,
    process: identity,
    note: notes.length > 0 ? notes.join('; ') : undefined,
    stop: async () => {
      if (!(await endProcess(identity, 'SIGTERM', 5_000))) await endProcess(identity, 'SIGKILL', 2_000);
    },
  };
}
