import type { Redis } from 'ioredis';

/** Milliseconds since the epoch, until which nobody asks a platform, by platform. */
const openKey = 'video:open-circuits';
const failuresKey = (platform: string): string => `video:failures:${platform}`;

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
    openUntil: async (platform) => Number(await redis.hget(openKey, platform)),
    async open(platform, until) {
      await redis.hset(openKey, platform, until);
    },
    async close(platform) {
      if ((await redis.del(failuresKey(platform))) > 0) await redis.hdel(openKey, platform);
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
  const all = Object.entries(await redis.hgetall(openKey));
  return new Map(
    all.flatMap(([platform, until]) => (Number(until) > now ? [[platform, new Date(Number(until))]] : [])),
  );
}
