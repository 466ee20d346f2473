import type { Redis } from 'ioredis';
import { redisPrefix } from '../redis.ts';

/** A sorted set of platforms, by the milliseconds since the epoch until which nobody asks them. */
const openKey = `${redisPrefix}:video:open-circuits`;
const failuresKey = (platform: string): string => `${redisPrefix}:video:failures:${platform}`;

/** What all workers know together of the platforms. */
export interface CircuitStore {
  /** Milliseconds since the epoch; 0 where nothing is known. */
  openUntil(platform: string): Promise<number>;
  open(platform: string, until: number): Promise<void>;
  close(platform: string): Promise<void>;
  /** @returns failures in a row, each at most `withinSeconds` after the one before. */
  countFailure(platform: string, withinSeconds: number): Promise<number>;
}

export function createCircuitStore(redis: Redis): CircuitStore {
  return {
    openUntil: async (platform) => Number(await redis.zscore(openKey, platform)),
    async open(platform, until) {
      // Names of platforms hold hosts that clients choose: those of the past go.
      await redis.zremrangebyscore(openKey, '-inf', Date.now());
      await redis.zadd(openKey, until, platform);
    },
    async close(platform) {
      if ((await redis.del(failuresKey(platform))) > 0) await redis.zrem(openKey, platform);
    },
    async countFailure(platform, withinSeconds) {
      const failures = await redis.incr(failuresKey(platform));
      await redis.expire(failuresKey(platform), withinSeconds);
      return failures;
    },
  };
}

/** The platforms that are left alone now, each with the moment until which. */
export async function listOpenCircuits(redis: Redis, now: number = Date.now()): Promise<Map<string, Date>> {
  const all = await redis.zrange(openKey, now + 1, '+inf', 'BYSCORE', 'WITHSCORES');
  return new Map(
    all.flatMap((platform, at) => (at % 2 === 0 ? [[platform, new Date(Number(all[at + 1]))]] : [])),
  );
}
