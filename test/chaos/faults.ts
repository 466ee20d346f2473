import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Service } from '../support/service.ts';
import type { Random } from './random.ts';

type Fault =
  | 'kill worker'
  | 'kill API'
  | 'FLUSHALL'
  | 'restart Redis'
  | 'restart Redis without its data'
  | 'restart Postgres';

/** Kills of workers and of the API are the most usual faults of a running service. */
const choices: readonly [Fault, ...Fault[]] = [
  'kill worker',
  'kill worker',
  'kill worker',
  'kill API',
  'kill API',
  'FLUSHALL',
  'restart Redis',
  'restart Redis without its data',
  'restart Postgres',
];

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

async function inflict(service: Service, redisUrl: string, fault: Fault): Promise<void> {
  if (fault === 'kill worker') killMatching(service, /workers\/main\.ts http/);
  if (fault === 'kill API') killMatching(service, /api\/main\.ts/);
  if (fault === 'FLUSHALL' || fault === 'restart Redis without its data') await flush(redisUrl);
  if (fault.startsWith('restart Redis')) killMatching(service, /js-redis|redis-server|valkey-server/);
  if (fault === 'restart Postgres') {
    const [pid] = readFileSync(join(service.home, 'postgres', 'postmaster.pid'), 'utf8').split('\n');
    process.kill(Number(pid), 'SIGKILL');
  }
}

/** One fault every `everyMs` until `until`. @returns how often each was inflicted. */
export async function runFaults(
  service: Service,
  redisUrl: string,
  random: Random,
  options: { everyMs: number; until: number },
): Promise<Map<Fault, number>> {
  const inflicted = new Map<Fault, number>();
  while (Date.now() + options.everyMs < options.until) {
    await sleep(options.everyMs);
    const fault = random.pick(choices);
    const done = await inflict(service, redisUrl, fault).then(
      () => true,
      // What was to be killed is dead already.
      () => false,
    );
    if (done) inflicted.set(fault, (inflicted.get(fault) ?? 0) + 1);
  }
  return inflicted;
}
