import type { Redis, Result } from 'ioredis';

/*
 * A list of millisecond stamps, oldest first, is the exact sliding log at about 10 bytes a use. The Redis
 * clock is the only clock. A list that is not there says nothing (idle, or wiped): -1 asks the caller to
 * bring the record of the last hour, which is used only if the list is still not there. A list that is there
 * is never emptied: its last stale stamp (at first 0) stays and says that nothing was used since.
 * Take: 1 limit, 2 take (1) or peek (0), 3 whether the record is brought (1) or not (0), 4 to 7 key, user,
 * allowance, operation, 8… stamps of the record.
 */
const takeScript = (windowMs: number) => `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local start = now - ${windowMs}
if redis.call('EXISTS', KEYS[1]) == 0 then
  if ARGV[3] == '0' then return {-1, 0, 0, 0} end
  redis.call('RPUSH', KEYS[1], '0')
  for i = 8, #ARGV do
    redis.call('RPUSH', KEYS[1], string.format('%.0f', math.min(tonumber(ARGV[i]), now)))
  end
  redis.call('PEXPIRE', KEYS[1], ${windowMs})
end
local length = redis.call('LLEN', KEYS[1])
local oldest = tonumber(redis.call('LINDEX', KEYS[1], 0))
while oldest <= start and length > 1 do
  redis.call('LPOP', KEYS[1])
  length = length - 1
  oldest = tonumber(redis.call('LINDEX', KEYS[1], 0))
end
local used = length
if oldest <= start then
  used = 0
  oldest = nil
end
local accepted = 0
if ARGV[2] == '1' and used < tonumber(ARGV[1]) then
  accepted = 1
  used = used + 1
  redis.call('RPUSH', KEYS[1], string.format('%.0f', now))
  redis.call('PEXPIRE', KEYS[1], ${windowMs})
  redis.call('XADD', KEYS[2], '*', 'k', ARGV[4], 'u', ARGV[5], 'a', ARGV[6], 'o', ARGV[7], 'n', '1')
  if not oldest then oldest = now end
end
local reset = -1
if oldest then reset = oldest + ${windowMs} - now end
return {accepted, used, reset, string.format('%.0f', now)}
`;

/* The list must not vanish with its last stamp: the record may not know yet that the use was given back. */
const giveBackScript = (windowMs: number) => `
if redis.call('LREM', KEYS[1], -1, ARGV[1]) == 1 and redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('RPUSH', KEYS[1], '0')
  redis.call('PEXPIRE', KEYS[1], ${windowMs})
end
redis.call('XADD', KEYS[2], '*', 'k', ARGV[2], 'u', ARGV[3], 'a', ARGV[4], 'o', ARGV[5], 'n', '-1', 't', ARGV[1])
return 1
`;

/** `accepted`: 1, 0, or -1 where the record of the window is to be brought. `resetMs`: -1 where nothing was used. */
export type TakeAnswer = [accepted: number, used: number, resetMs: number, stamp: string];

declare module 'ioredis' {
  interface RedisCommander<Context> {
    quarryTake(list: string, stream: string, ...args: (string | number)[]): Result<TakeAnswer, Context>;
    quarryGiveBack(list: string, stream: string, ...args: string[]): Result<number, Context>;
  }
}

/** @param windowMs how long a use counts. */
export function defineAllowanceScripts(redis: Redis, windowMs: number): void {
  redis.defineCommand('quarryTake', { numberOfKeys: 2, lua: takeScript(windowMs) });
  redis.defineCommand('quarryGiveBack', { numberOfKeys: 2, lua: giveBackScript(windowMs) });
}
