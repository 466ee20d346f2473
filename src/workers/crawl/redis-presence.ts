import type { Redis } from 'ioredis';
import { redisPrefix } from '../../shared/queue/redis.ts';
import type { HostPresence } from './host-turns.ts';

const keyOf = (host: string) => `${redisPrefix}:crawls:${host}`;

/** Crawls at a host, as a sorted set by the time until which each counts. */
export function createRedisPresence(redis: Redis): HostPresence {
  return {
    async enter(host, crawlId, withinMs) {
      const key = keyOf(host);
      const answers = await redis
        .multi()
        .zadd(key, Date.now() + withinMs, crawlId)
        .zremrangebyscore(key, 0, Date.now())
        .zcard(key)
        .pexpire(key, 2 * withinMs)
        .exec();
      return Math.max(1, Number(answers?.[2]?.[1] ?? 1));
    },
    async leave(host, crawlId) {
      await redis.zrem(keyOf(host), crawlId);
    },
  };
}
