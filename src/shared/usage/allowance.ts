import type { Redis, Result } from 'ioredis';
import type { Db } from '../db/client.ts';
import { listRecentUses } from '../db/key-usage.ts';
import { redisPrefix } from '../queue/redis.ts';

export const windowSeconds = 3_600;
export const usageStream = `${redisPrefix}:usage`;

/** Who uses an allowance, for which operation. */
export interface Use {
  allowanceId: string;
  keyId: string;
  userId: string;
  operation: string;
}

export interface AllowanceState {
  limit: number;
  /** Counted uses of the last 3,600 s. */
  used: number;
  remaining: number;
  /** Until the oldest counted use leaves the window; null when there is none. */
  resetMs: number | null;
}

export interface Taken extends AllowanceState {
  accepted: boolean;
  /** For `giveBack`. Null when refused. */
  stamp: string | null;
}

/** The exact hourly window of each allowance, in Redis; every use is also put on the stream to Postgres. */
export interface Allowances {
  take(use: Use, limit: number): Promise<Taken>;
  /** Undoes a take whose request could not be accepted after all. */
  giveBack(use: Use, stamp: string): Promise<void>;
  /** Reads without taking. */
  peek(allowanceId: string, limit: number): Promise<AllowanceState>;
}

/*
 * A list of millisecond stamps, oldest first, is the exact sliding log at about 10 bytes a use. The Redis
 * clock is the only clock. A list that is not there says nothing (idle, or wiped): -1 asks the caller to
 * bring the record of the last hour, which is used only if the list is still not there.
 * Take: 1 limit, 2 take (1) or peek (0), 3 whether the record is brought (1) or not (0), 4 to 7 key, user,
 * allowance, operation, 8… stamps of the record.
 */
const takeScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local start = now - ${windowSeconds * 1000}
local limit = tonumber(ARGV[1])
if redis.call('EXISTS', KEYS[1]) == 0 then
  if ARGV[3] == '0' then return {-1, 0, 0, 0} end
  for i = 8, #ARGV do
    local stamp = tonumber(ARGV[i])
    if stamp > start then redis.call('RPUSH', KEYS[1], string.format('%.0f', math.min(stamp, now))) end
  end
end
local oldest = redis.call('LINDEX', KEYS[1], 0)
while oldest and tonumber(oldest) <= start do
  redis.call('LPOP', KEYS[1])
  oldest = redis.call('LINDEX', KEYS[1], 0)
end
local used = redis.call('LLEN', KEYS[1])
local accepted = 0
if ARGV[2] == '1' and used < limit then
  accepted = 1
  used = used + 1
  redis.call('RPUSH', KEYS[1], string.format('%.0f', now))
  redis.call('PEXPIRE', KEYS[1], ${windowSeconds * 1000})
  redis.call('XADD', KEYS[2], '*', 'k', ARGV[4], 'u', ARGV[5], 'a', ARGV[6], 'o', ARGV[7], 'n', '1')
  if not oldest then oldest = now end
elseif ARGV[3] == '1' and used > 0 then
  redis.call('PEXPIRE', KEYS[1], ${windowSeconds * 1000})
end
local reset = -1
if oldest then reset = tonumber(oldest) + ${windowSeconds * 1000} - now end
return {accepted, used, reset, string.format('%.0f', now)}
`;

const giveBackScript = `
redis.call('LREM', KEYS[1], -1, ARGV[1])
redis.call('XADD', KEYS[2], '*', 'k', ARGV[2], 'u', ARGV[3], 'a', ARGV[4], 'o', ARGV[5], 'n', '-1')
return 1
`;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    quarryTake(
      list: string,
      stream: string,
      ...args: (string | number)[]
    ): Result<[accepted: number, used: number, resetMs: number, stamp: string], Context>;
    quarryGiveBack(list: string, stream: string, ...args: string[]): Result<number, Context>;
  }
}

const listOf = (allowanceId: string) => `${redisPrefix}:allowance:${allowanceId}`;

export function createAllowances(redis: Redis, db: Db): Allowances {
  redis.defineCommand('quarryTake', { numberOfKeys: 2, lua: takeScript });
  redis.defineCommand('quarryGiveBack', { numberOfKeys: 2, lua: giveBackScript });

  async function run(use: Use, limit: number, take: boolean): Promise<Taken> {
    const list = listOf(use.allowanceId);
    const call = (record: readonly number[] | null) =>
      redis.quarryTake(
        list,
        usageStream,
        limit,
        take ? 1 : 0,
        record === null ? 0 : 1,
        use.keyId,
        use.userId,
        use.allowanceId,
        use.operation,
        ...(record ?? []),
      );
    let answer = await call(null);
    if (answer[0] === -1) answer = await call(await listRecentUses(db, use.allowanceId, windowSeconds));
    const [accepted, used, resetMs, stamp] = answer;
    return {
      accepted: accepted === 1,
      limit,
      used,
      remaining: Math.max(0, limit - used),
      resetMs: resetMs < 0 ? null : resetMs,
      stamp: accepted === 1 ? stamp : null,
    };
  }

  return {
    take: (use, limit) => run(use, limit, true),
    async giveBack(use, stamp) {
      await redis.quarryGiveBack(
        listOf(use.allowanceId),
        usageStream,
        stamp,
        use.keyId,
        use.userId,
        use.allowanceId,
        use.operation,
      );
    },
    async peek(allowanceId, limit) {
      const { used, remaining, resetMs } = await run(
        { allowanceId, keyId: '', userId: '', operation: '' },
        limit,
        false,
      );
      return { limit, used, remaining, resetMs };
    },
  };
}
