import { join } from 'node:path';
import { environmentOf } from '../support/processes.ts';
import type { RedisCluster } from '../support/redis-cluster.ts';
import { startService } from '../support/service.ts';
import { faultsOfCluster, faultsOfRedis, runFaults } from './faults.ts';
import { runLoad } from './load.ts';
import { createRandom } from './random.ts';
import { judge, type Verdict } from './verdict.ts';

export interface ChaosReport extends Verdict {
  redis: string;
  faults: Record<string, number>;
  refused: Record<string, number>;
}

/**
 * Loads an instance of its own, breaks it every 2.5 s, and checks that what was promised came true, once.
 * @param cluster on which the instance stands, and which is broken too; default: a Redis of its own.
 * @throws the reason of `stopping`, once the instance is gone.
 */
export async function runChaos(
  seed: number,
  seconds: number,
  options: { stopping?: AbortSignal; cluster?: RedisCluster | null } = {},
): Promise<ChaosReport> {
  const { stopping = new AbortController().signal, cluster = null } = options;
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  stopped.catch(() => undefined);
  stopping.addEventListener('abort', () => reject(stopping.reason as Error), { once: true });
  const service = await startService({
    env: {
      EXTENSIONS: join(import.meta.dirname, '../support/operations'),
      PENDING_JOBS_PER_USER: '100000',
      PLANS: JSON.stringify({ scale: { rateLimit: 1_000_000, maxConcurrentJobs: 50, maxKeys: 50 } }),
      // A killed API must come back where its clients look for it.
      PORT: '0',
      ...(cluster && { REDIS_URL: cluster.url }),
    },
  });
  try {
    stopping.throwIfAborted();
    const { DATABASE_URL: databaseUrl = '', REDIS_URL: redisUrl = '' } = environmentOf(service);
    const random = createRandom(seed + 1);
    const ofRedis = cluster ? faultsOfCluster(cluster, random) : faultsOfRedis(service, redisUrl);
    const until = Date.now() + seconds * 1_000;
    const run = Promise.all([
      runLoad(service, createRandom(seed), 6, until),
      runFaults(service, ofRedis, random, { everyMs: 2_500, until }),
    ]);
    const [ledger, faults] = await Promise.race([run, stopped]);
    const verdict = await Promise.race([judge(databaseUrl, ledger), stopped]);
    return {
      ...verdict,
      redis: cluster ? `a Redis Cluster of ${cluster.size} nodes` : service.redis,
      faults: Object.fromEntries(faults),
      refused: Object.fromEntries(ledger.refused),
    };
  } finally {
    await service.stop();
  }
}

/** True where every promise came true, once, in time, and told so in its events, and every answer without one was a clear 503. */
export function held({ lost, stuck, disordered, doubled, givenUp, refused }: ChaosReport): boolean {
  const unclear = Object.keys(refused).filter((what) => what !== '503' && what !== 'no answer');
  return (
    lost.length === 0 &&
    stuck.length === 0 &&
    disordered.length === 0 &&
    doubled === 0 &&
    givenUp === 0 &&
    unclear.length === 0
  );
}
