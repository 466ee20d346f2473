import type { Redis, Result } from 'ioredis';

/*
 * A list of millisecond stamps, oldest first, is the exact sliding log of a window at about 10 bytes a use; there is
 * one of the key's allowance and one of its user. The Redis clock is the only clock. A list that is not there says
 * nothing (idle, or wiped): -1 asks the caller to bring the record of the last hour, which is used only for a list
 * that is still not there. A list that is there is never emptied: its last stale stamp (at first 0) stays and says
 * that nothing was used since.
 * The epoch is another one whenever Redis has lost its data: a record that was asked for in an earlier one lacks what
 * was taken since, and is not used.
 * Take: 1 limit of the key, 2 of the user, 3 take (1) or only read (0), 4 the epoch of the record that is brought, or none,
 * 5 to 8 key, user, allowance, operation, 9 the next epoch, 10… the record: stamp, uses of the key, uses of the user,
 * and so on.
 */
const takeScript = (windowMs: number) => `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local start = now - ${windowMs}

local function fill(list, column)
  if redis.call('EXISTS', list) == 1 then return end
  redis.call('RPUSH', list, '0')
  for i = 10, #ARGV, 3 do
    local at = string.format('%.0f', math.min(tonumber(ARGV[i]), now))
    for _ = 1, tonumber(ARGV[i + column]) do redis.call('RPUSH', list, at) end
  end
  redis.call('PEXPIRE', list, ${windowMs})
end

local function read(list, limit)
  local length = redis.call('LLEN', list)
  local oldest = tonumber(redis.call('LINDEX', list, 0))
  while oldest <= start and length > 1 do
    redis.call('LPOP', list)
    length = length - 1
    oldest = tonumber(redis.call('LINDEX', list, 0))
  end
  if oldest <= start then return 0, -1 end
  if length > limit then oldest = tonumber(redis.call('LINDEX', list, length - limit)) end
  return length, oldest + ${windowMs} - now
end

local function add(list)
  redis.call('RPUSH', list, string.format('%.0f', now))
  redis.call('PEXPIRE', list, ${windowMs})
end

if redis.call('EXISTS', KEYS[1], KEYS[2]) < 2 then
  local epoch = redis.call('GET', KEYS[4])
  if not epoch then
    epoch = ARGV[9]
    redis.call('SET', KEYS[4], epoch)
  end
  if ARGV[4] ~= epoch then return {-1, 0, -1, 0, -1, epoch} end
  fill(KEYS[1], 1)
  fill(KEYS[2], 2)
end
local used, reset = read(KEYS[1], tonumber(ARGV[1]))
local userUsed, userReset = read(KEYS[2], tonumber(ARGV[2]))
local accepted = 0
if ARGV[3] == '1' and used < tonumber(ARGV[1]) and userUsed < tonumber(ARGV[2]) then
  accepted = 1
  add(KEYS[1])
  add(KEYS[2])
  redis.call('XADD', KEYS[3], '*', 'k', ARGV[5], 'u', ARGV[6], 'a', ARGV[7], 'o', ARGV[8], 'n', '1')
  used = used + 1
  userUsed = userUsed + 1
  if reset < 0 then reset = ${windowMs} end
  if userReset < 0 then userReset = ${windowMs} end
end
return {accepted, used, reset, userUsed, userReset, string.format('%.0f', now)}
`;

/* A list must not vanish with its last stamp: the record may not know yet that the use was given back. */
const giveBackScript = (windowMs: number) => `
for i = 1, 2 do
  if redis.call('LREM', KEYS[i], -1, ARGV[1]) == 1 and redis.call('EXISTS', KEYS[i]) == 0 then
    redis.call('RPUSH', KEYS[i], '0')
    redis.call('PEXPIRE', KEYS[i], ${windowMs})
  end
end
redis.call('XADD', KEYS[3], '*', 'k', ARGV[2], 'u', ARGV[3], 'a', ARGV[4], 'o', ARGV[5], 'n', '-1', 't', ARGV[1])
return 1
`;

/*
 * The clock in seconds and microseconds, and of each list its oldest stamp and its length: nil and 0 of one that is not
 * there. All have one slot in a Redis Cluster, as those of a take.
 */
const readScript = `
local answer = redis.call('TIME')
for i = 1, #KEYS do
  answer[2 * i + 1] = redis.call('LINDEX', KEYS[i], 0)
  answer[2 * i + 2] = redis.call('LLEN', KEYS[i])
end
return answer
`;

/**
 * `accepted`: 1, 0, or -1 where the record of the window is to be brought, for the epoch that stands in the place of
 * the stamp. `resetMs`: -1 where nothing was used.
 */
export type TakeAnswer = [
  accepted: number,
  used: number,
  resetMs: number,
  userUsed: number,
  userResetMs: number,
  stamp: string,
];

type Lists = [ofKey: string, ofUser: string, stream: string];
type Keys = [...Lists, epoch: string];

declare module 'ioredis' {
  interface RedisCommander<Context> {
    quarryTake(...args: [...Keys, ...(string | number)[]]): Result<TakeAnswer, Context>;
    quarryRead(keys: number, ...lists: string[]): Result<(string | number | null)[], Context>;
    quarryGiveBack(...args: [...Lists, ...string[]]): Result<number, Context>;
  }
}

/** @param windowMs how long a use counts. */
export function defineAllowanceScripts(redis: Redis, windowMs: number): void {
  redis.defineCommand('quarryTake', { numberOfKeys: 4, lua: takeScript(windowMs) });
  redis.defineCommand('quarryRead', { lua: readScript });
  redis.defineCommand('quarryGiveBack', { numberOfKeys: 3, lua: giveBackScript(windowMs) });
}
