import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { RedisCluster } from '../support/redis-cluster.ts';
import type { Service } from '../support/service.ts';
import type { Random } from './random.ts';

/** What can happen, by what it is called in the report. */
type Fault = readonly [name: string, inflict: () => Promise<void>];
export type Faults = readonly [Fault, ...Fault[]];

function listProcesses(service: Service): { pid: number; command: string }[] {
  const holder = JSON.parse(readFileSync(join(service.home, 'holder.json'), 'utf8')) as {
    children: { pid: number }[];
  };
  return holder.children.flatMap(({ pid }) => {
    try {
      return [{ pid, command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ') }];
    } catch {
      return [];
    }
  });
}

function killMatching(service: Service, pattern: RegExp): void {
  for (const { pid, command } of listProcesses(service))
    if (pattern.test(command)) process.kill(pid, 'SIGKILL');
}

async function flush(redisUrl: string): Promise<void> {
  const redis = new Redis(redisUrl, {
    lazyConnect: true,
    maxRetriesPerRequest: 1,
    retryStrategy: () => null,
  });
  redis.on('error', () => undefined);
  await redis.connect();
  await redis.flushall();
  redis.disconnect();
}

/** Of the one Redis that the service has started. */
export function faultsOfRedis(service: Service, redisUrl: string): Faults {
  const kill = () => killMatching(service, /js-redis|redis-server|valkey-server/);
  return [
    ['FLUSHALL', () => flush(redisUrl)],
    ['restart Redis', async () => kill()],
    ['restart Redis without its data', () => flush(redisUrl).then(kill)],
  ];
}

/** Longer than a cluster takes to notice that a node is gone, and to put its replica in its place. */
const nodeIsAwayMs = 3_000;

export function faultsOfCluster(cluster: RedisCluster, random: Random): Faults {
  const pickMaster = async () => {
    const [first = 0, ...others] = await cluster.listMasters();
    return random.pick([first, ...others]);
  };
  async function restart(node: number, afterMs: number): Promise<void> {
    await cluster.kill(node);
    await sleep(afterMs);
    await cluster.restart(node);
    await cluster.untilWhole();
  }
  return [
    ['kill a Redis node', async () => restart(await pickMaster(), nodeIsAwayMs)],
    ['restart a Redis node', async () => restart(await pickMaster(), 0)],
    [
      'restart a Redis node without its data',
      async () => {
        const node = await pickMaster();
        await cluster.ask(node, (redis) => redis.flushall());
        await restart(node, 0);
      },
    ],
    [
      'FLUSHALL on all Redis nodes',
      async () => {
        const masters = await cluster.listMasters();
        await Promise.all(masters.map((node) => cluster.ask(node, (redis) => redis.flushall())));
      },
    ],
    [
      'fail over to a replica',
      async () => {
        const masters = await cluster.listMasters();
        const replicas = [...Array(cluster.size).keys()].filter((node) => !masters.includes(node));
        const [first, ...others] = replicas;
        if (first === undefined) throw new Error('The cluster has no replicas');
        await cluster.ask(random.pick([first, ...others]), (redis) => redis.call('CLUSTER', 'FAILOVER'));
      },
    ],
  ];
}

/** Kills of workers and of the API are the most usual faults of a running service. */
function faultsOfService(service: Service): Faults {
  const killWorker = async () => killMatching(service, /workers\/main\.ts http/);
  const killApi = async () => killMatching(service, /api\/main\.ts/);
  return [
    ['kill worker', killWorker],
    ['kill worker', killWorker],
    ['kill worker', killWorker],
    ['kill API', killApi],
    ['kill API', killApi],
    [
      'restart Postgres',
      async () => {
        const [pid] = readFileSync(join(service.home, 'postgres', 'postmaster.pid'), 'utf8').split('\n');
        process.kill(Number(pid), 'SIGKILL');
      },
    ],
  ];
}

/** One fault every `everyMs` until `until`. @returns how often each was inflicted. */
export async function runFaults(
  service: Service,
  ofRedis: Faults,
  random: Random,
  options: { everyMs: number; until: number },
): Promise<Map<string, number>> {
  const choices = [...ofRedis, ...faultsOfService(service)] as const;
  const inflicted = new Map<string, number>();
  while (Date.now() + options.everyMs < options.until) {
    await sleep(options.everyMs);
    const [name, inflict] = random.pick(choices);
    const done = await inflict().then(
      () => true,
      // What was to be killed is dead already.
      () => false,
    );
    if (done) inflicted.set(name, (inflicted.get(name) ?? 0) + 1);
  }
  return inflicted;
}
