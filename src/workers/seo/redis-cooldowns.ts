import type { Redis } from 'ioredis';
import { redisPrefix } from '../../shared/redis.ts';
import type { Cooldowns } from './upstream.ts';

const keyOf = (host: string) => `${redisPrefix}:seo:rest:${host}`;
const longestMs = 86_400_000;

/** Told to all workers by Redis; where it is away, there is none. */
export function createRedisCooldowns(redis: Redis): Cooldowns {
  return {
    async leftMs(host) {
      return Math.max(0, await redis.pttl(keyOf(host)).catch(() => 0));
    },
    async begin(host, ms) {
      if (ms >= 1)
        await redis.set(keyOf(host), '1', 'PX', Math.min(longestMs, Math.ceil(ms))).catch(() => null);
    },
  };
}
