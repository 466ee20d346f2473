import type { Redis } from 'ioredis';

/*
 * Sorted sets of who was seen when, by the clock of Redis: those of the processes may be minutes apart.
 * 1 who is seen, 2 how many milliseconds that is remembered.
 */
const seeScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], string.format('%.0f', now), ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, string.format('%.0f', now - tonumber(ARGV[2])))
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 0
`;

/* 1 milliseconds within which who counts was seen. */
const listScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
return redis.call('ZRANGEBYSCORE', KEYS[1], string.format('%.0f', now - tonumber(ARGV[1])), '+inf')
`;

/** @param keptMs after which `who` is forgotten, unless seen again. */
export async function see(redis: Redis, key: string, who: string, keptMs: number): Promise<void> {
  await redis.eval(seeScript, 1, key, who, keptMs);
}

export async function listSeen(redis: Redis, key: string, withinMs: number): Promise<string[]> {
  return (await redis.eval(listScript, 1, key, withinMs)) as string[];
}
