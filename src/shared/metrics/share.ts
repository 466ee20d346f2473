import type { Redis } from 'ioredis';
import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import { redisPrefix } from '../redis.ts';
import { listSeen, see } from '../seen-lately.ts';
import type { Metrics } from './metrics.ts';

const shareMs = 5_000;
/** A process that has not been heard of for so long is gone, and its series with it. */
const keptMs = 4 * shareMs;

const indexKey = `${redisPrefix}:metrics`;
const keyOf = (process: string) => `${indexKey}:${process}`;

export type Snapshot = MetricObjectWithValues<MetricValue<string>>[];

/**
 * Puts what this process has counted where any API process finds it, every five seconds until disposed. So one
 * address answers for all processes, and a worker needs no port.
 */
export function shareMetrics(redis: Redis, metrics: Metrics): AsyncDisposable {
  async function share(): Promise<void> {
    const text = JSON.stringify(await metrics.registry.getMetricsAsJSON());
    await redis.set(keyOf(metrics.process), text, 'PX', keptMs);
    await see(redis, indexKey, metrics.process, keptMs);
  }
  // Redis is away: the next one tells.
  const timer = setInterval(() => void share().catch(() => undefined), shareMs);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await Promise.all([redis.zrem(indexKey, metrics.process), redis.del(keyOf(metrics.process))]).catch(
        () => undefined,
      );
    },
  };
}

/** What the other processes have counted, some seconds ago. */
export async function readShared(redis: Redis, own: Metrics): Promise<Snapshot[]> {
  const processes = await listSeen(redis, indexKey, keptMs);
  const others = processes.filter((process) => process !== own.process);
  if (others.length === 0) return [];
  const texts = await redis.mget(others.map(keyOf));
  return texts.flatMap((text) => (text === null ? [] : [JSON.parse(text) as Snapshot]));
}
