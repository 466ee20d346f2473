import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort } from '../../src/embedded/free-port.ts';
import { findProgramOnPath } from '../../src/shared/programs-on-path.ts';

const slots = 16_384;
const password = 'of-the-cluster';
/** After so long without a word a node is taken for dead, and its replica takes over. */
const nodeTimeoutMs = 1_000;
const formsWithinMs = 30_000;

/** A real Redis Cluster on loopback: masters, and where wished a replica for each. */
export interface RedisCluster extends AsyncDisposable {
  /** REDIS_URL: all that were masters at first. */
  readonly url: string;
  readonly size: number;
  /** Asks a node. */
  ask<T>(node: number, question: (redis: Redis) => Promise<T>): Promise<T>;
  /** kill -9. */
  kill(node: number): Promise<void>;
  /** After `kill`, with what its append-only file holds. */
  restart(node: number): Promise<void>;
  listMasters(): Promise<number[]>;
  /** Each slot has a node that answers. */
  untilWhole(): Promise<void>;
}

/** @returns null where no redis-server is on PATH. */
export const findRedisServer = () => findProgramOnPath('redis-server', process.env['PATH'] ?? '') ?? null;

export async function startRedisCluster(
  options: { masters?: number; replicas?: boolean } = {},
): Promise<RedisCluster> {
  const { masters = 3, replicas = false } = options;
  const program = findRedisServer();
  if (program === null)
    throw new Error('A Redis Cluster needs a redis-server on PATH (Debian: redis-server)');
  await using stack = new AsyncDisposableStack();
  const folder = stack.adopt(await mkdtemp(join(tmpdir(), 'quarry-redis-cluster-')), (path) =>
    rm(path, { recursive: true, force: true }),
  );
  const size = replicas ? 2 * masters : masters;
  const ports: number[] = [];
  while (ports.length < size) {
    const port = await freePort();
    // Nodes speak to each other on a second port, 10,000 above.
    if (port < 55_000 && !ports.includes(port)) ports.push(port);
  }
  const children: ChildProcess[] = [];
  const portOf = (node: number) => ports[node] ?? 0;

  async function ask<T>(node: number, question: (redis: Redis) => Promise<T>): Promise<T> {
    const redis = new Redis({
      port: portOf(node),
      password,
      lazyConnect: true,
      maxRetriesPerRequest: 0,
      retryStrategy: () => null,
    });
    redis.on('error', () => undefined);
    try {
      await redis.connect();
      return await question(redis);
    } finally {
      redis.disconnect();
    }
  }

  async function launch(node: number): Promise<void> {
    const dir = join(folder, String(node));
    await mkdir(dir, { recursive: true });
    const settings = {
      bind: '127.0.0.1',
      port: portOf(node),
      requirepass: password,
      masterauth: password,
      dir,
      appendonly: 'yes',
      save: '',
      'maxmemory-policy': 'noeviction',
      'cluster-enabled': 'yes',
      'cluster-node-timeout': nodeTimeoutMs,
      // A replica that is behind is better than none: what it lacks is in Postgres.
      'cluster-replica-validity-factor': 0,
      'repl-diskless-sync-delay': 0,
    };
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
    const child = spawn(program ?? '', args, { stdio: 'ignore' });
    children[node] = child;
    await untilTrue(() => ask(node, (redis) => redis.ping()).then(() => true));
  }

  async function kill(node: number): Promise<void> {
    const child = children[node];
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  const isWhole = (node: number) =>
    ask(node, (redis) => redis.cluster('INFO')).then((text) => /cluster_state:ok/.test(String(text)));

  async function untilWhole(): Promise<void> {
    for (const node of ports.keys()) await untilTrue(() => isWhole(node));
  }

  async function form(): Promise<void> {
    for (const node of ports.keys()) {
      await ask(node, async (redis) => {
        await redis.call('CLUSTER', 'SET-CONFIG-EPOCH', node + 1);
        if (node > 0) await redis.cluster('MEET', '127.0.0.1', portOf(0));
        if (node >= masters) return;
        const [from, to] = [node, node + 1].map((part) => Math.floor((part * slots) / masters));
        await redis.call('CLUSTER', 'ADDSLOTSRANGE', from ?? 0, (to ?? 0) - 1);
      });
    }
    for (let node = masters; node < size; node++) {
      const master = String(await ask(node - masters, (redis) => redis.cluster('MYID')));
      await untilTrue(async () => {
        await ask(node, (redis) => redis.call('CLUSTER', 'REPLICATE', master));
        return true;
      });
    }
    await untilWhole();
    for (let node = masters; node < size; node++) {
      await untilTrue(() =>
        ask(node, (redis) => redis.info('replication')).then((text) =>
          text.includes('master_link_status:up'),
        ),
      );
    }
  }

  stack.defer(async () => {
    await Promise.all([...ports.keys()].map(kill));
  });
  await Promise.all([...ports.keys()].map(launch));
  await form();
  const owned = stack.move();
  return {
    url: ports
      .slice(0, masters)
      .map((port) => `redis://:${password}@127.0.0.1:${port}`)
      .join(','),
    size,
    ask,
    kill,
    restart: launch,
    untilWhole,
    async listMasters() {
      const roles = await Promise.all(
        [...ports.keys()].map((node) =>
          ask(node, (redis) => redis.info('replication')).then(
            (text) => text.includes('role:master'),
            () => false,
          ),
        ),
      );
      return [...ports.keys()].filter((node) => roles[node]);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** @throws Error what it failed with last. */
async function untilTrue(check: () => Promise<boolean>): Promise<void> {
  const giveUpAt = Date.now() + formsWithinMs;
  for (;;) {
    const seen = await check().catch((error: unknown) => error as Error);
    if (seen === true) return;
    if (Date.now() > giveUpAt)
      throw seen === false ? new Error('The Redis Cluster is not whole in time') : seen;
    await sleep(50);
  }
}
