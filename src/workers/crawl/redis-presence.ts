import type { Redis, Result } from 'ioredis';
import { redisPrefix } from '../../shared/redis.ts';
import type { HostPresence } from './host-slots.ts';

const keyOf = (host: string) => `${redisPrefix}:crawls:${host}`;

/*
 * A hash of the crawls at a host: each with the slots that it holds and the time until which it counts. What a
 * crawl holds is its own until it says that it holds less, so that the slots of all together stay within the
 * bound, however late they hear of each other. The Redis clock is the only clock.
 * 1 crawl, 2 slots that it may be using now, 3 slots of the host, 4 how long it counts, in milliseconds.
 */
const enterScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local crawls = 1
local taken = 0
local known = redis.call('HGETALL', KEYS[1])
for i = 1, #known, 2 do
  local held, till = string.match(known[i + 1], '^(%d+):(%d+)$')
  if tonumber(till) <= now then
    redis.call('HDEL', KEYS[1], known[i])
  elseif known[i] ~= ARGV[1] then
    crawls = crawls + 1
    taken = taken + tonumber(held)
  end
end
local bound = tonumber(ARGV[3])
local share = math.floor(bound / crawls)
local slots = math.max(1, math.min(share, bound - taken))
local holds = math.max(slots, tonumber(ARGV[2]))
redis.call('HSET', KEYS[1], ARGV[1], string.format('%d:%.0f', holds, now + tonumber(ARGV[4])))
redis.call('PEXPIRE', KEYS[1], 2 * tonumber(ARGV[4]))
return {crawls, slots}
`;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    quarryEnterHost(
      key: string,
      crawlId: string,
      ...args: number[]
    ): Result<[crawls: number, slots: number], Context>;
  }
}

export function createRedisPresence(redis: Redis): HostPresence {
  redis.defineCommand('quarryEnterHost', { numberOfKeys: 1, lua: enterScript });
  return {
    async enter(host, crawlId, { usedSlots, perHost, withinMs }) {
      const key = keyOf(host);
      const [crawls, slots] = await redis.quarryEnterHost(key, crawlId, usedSlots, perHost, withinMs);
      return { crawls, slots };
    },
    async leave(host, crawlId) {
      await redis.hdel(keyOf(host), crawlId);
    },
  };
}
