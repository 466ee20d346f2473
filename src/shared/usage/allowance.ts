import type { Redis, Result } from 'ioredis';
import { coalesce } from '../coalesce.ts';
import type { Db } from '../db/client.ts';
import { listRecentUses } from '../db/key-usage.ts';
import { isRedisAway, redisAnswersWithinMs, redisPrefix } from '../queue/redis.ts';

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

/** More than is taken from an allowance elsewhere between two takes here, as a rule. */
const plenty = 500;
const knownAllowances = 10_000;

/** The exact hourly window of each allowance, in Redis; every use is also put on the stream to Postgres. */
export interface Allowances {
  take(use: Use, limit: number): Promise<Taken>;
  /** The last take of this process left plenty: the next one is as good as sure. */
  hasPlenty(allowanceId: string): boolean;
  /** Undoes a take whose request could not be accepted after all. */
  giveBack(use: Use, stamp: string): Promise<void>;
  /** Reads without taking. */
  peek(allowanceId: string, limit: number): Promise<AllowanceState>;
  /** As `peek`; while Redis is away, from the record in Postgres, which is some seconds behind. */
  look(allowanceId: string, limit: number): Promise<AllowanceState>;
}

/*
 * A list of millisecond stamps, oldest first, is the exact sliding log at about 10 bytes a use. The Redis
 * clock is the only clock. A list that is not there says nothing (idle, or wiped): -1 asks the caller to
 * bring the record of the last hour, which is used only if the list is still not there. A list that is there
 * is never emptied: its last stale stamp (at first 0) stays and says that nothing was used since.
 * Take: 1 limit, 2 take (1) or peek (0), 3 whether the record is brought (1) or not (0), 4 to 7 key, user,
 * allowance, operation, 8… stamps of the record.
 */
const takeScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local start = now - ${windowSeconds * 1000}
if redis.call('EXISTS', KEYS[1]) == 0 then
  if ARGV[3] == '0' then return {-1, 0, 0, 0} end
  redis.call('RPUSH', KEYS[1], '0')
  for i = 8, #ARGV do
    redis.call('RPUSH', KEYS[1], string.format('%.0f', math.min(tonumber(ARGV[i]), now)))
  end
  redis.call('PEXPIRE', KEYS[1], ${windowSeconds * 1000})
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
  redis.call('PEXPIRE', KEYS[1], ${windowSeconds * 1000})
  redis.call('XADD', KEYS[2], '*', 'k', ARGV[4], 'u', ARGV[5], 'a', ARGV[6], 'o', ARGV[7], 'n', '1')
  if not oldest then oldest = now end
end
local reset = -1
if oldest then reset = oldest + ${windowSeconds * 1000} - now end
return {accepted, used, reset, string.format('%.0f', now)}
`;

/* The list must not vanish with its last stamp: the record may not know yet that the use was given back. */
const giveBackScript = `
if redis.call('LREM', KEYS[1], -1, ARGV[1]) == 1 and redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('RPUSH', KEYS[1], '0')
  redis.call('PEXPIRE', KEYS[1], ${windowSeconds * 1000})
end
redis.call('XADD', KEYS[2], '*', 'k', ARGV[2], 'u', ARGV[3], 'a', ARGV[4], 'o', ARGV[5], 'n', '-1', 't', ARGV[1])
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

interface Glance {
  nowMs: number;
  oldest: number | null;
  length: number;
}
const noGlance: Glance = { nowMs: 0, oldest: null, length: 0 };

const listOf = (allowanceId: string) => `${redisPrefix}:allowance:${allowanceId}`;

/** @param takes the connection that uses are taken on: it hears of those that a slow Redis takes too late. */
export function createAllowances(redis: Redis, db: Db, takes = redis): Allowances {
  for (const it of [redis, takes]) it.defineCommand('quarryTake', { numberOfKeys: 2, lua: takeScript });
  redis.defineCommand('quarryGiveBack', { numberOfKeys: 2, lua: giveBackScript });

  async function run(use: Use, limit: number, counts: boolean): Promise<Taken> {
    const list = listOf(use.allowanceId);
    const call = (record: readonly number[] | null) =>
      (counts ? takes : redis).quarryTake(
        list,
        usageStream,
        limit,
        counts ? 1 : 0,
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

  const plentiful = new Set<string>();

  /** Plain reads of many lists in one visit; the script would cost a run of Lua each. */
  const glance = coalesce(async (allowanceIds): Promise<ReadonlyMap<string, Glance>> => {
    const pipeline = redis.pipeline().time();
    for (const id of allowanceIds) pipeline.lindex(listOf(id), 0).llen(listOf(id));
    const [now, ...reads] = ((await pipeline.exec()) ?? []).map(([error, answer]) => {
      if (error) throw error;
      return answer;
    });
    const [seconds, microseconds] = now as [string | number, string | number];
    const nowMs = Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
    return new Map(
      allowanceIds.map((id, n) => {
        const oldest = reads[2 * n] as string | null;
        return [
          id,
          { nowMs, oldest: oldest === null ? null : Number(oldest), length: Number(reads[2 * n + 1]) },
        ];
      }),
    );
  });

  async function peek(allowanceId: string, limit: number): Promise<AllowanceState> {
    const { nowMs, oldest, length } = (await glance(allowanceId)) ?? noGlance;
    const stale = oldest === null || oldest <= nowMs - windowSeconds * 1_000;
    if (oldest !== null && !stale) {
      const resetMs = oldest + windowSeconds * 1_000 - nowMs;
      return { limit, used: length, remaining: Math.max(0, limit - length), resetMs };
    }
    if (oldest !== null && length === 1) return { limit, used: 0, remaining: limit, resetMs: null };
    // The list is not there, or has stamps to drop: that takes the script.
    const nobody = { allowanceId, keyId: '', userId: '', operation: '' };
    const { used, remaining, resetMs } = await run(nobody, limit, false);
    return { limit, used, remaining, resetMs };
  }

  async function readRecord(allowanceId: string, limit: number): Promise<AllowanceState> {
    const now = Date.now();
    const stamps = (await listRecentUses(db, allowanceId, windowSeconds)).map((stamp) =>
      Math.min(stamp, now),
    );
    const [oldest] = stamps;
    return {
      limit,
      used: stamps.length,
      remaining: Math.max(0, limit - stamps.length),
      resetMs: oldest === undefined ? null : Math.max(0, oldest + windowSeconds * 1_000 - now),
    };
  }

  async function giveBack({ allowanceId, keyId, userId, operation }: Use, stamp: string): Promise<void> {
    await redis.quarryGiveBack(
      listOf(allowanceId),
      usageStream,
      stamp,
      keyId,
      userId,
      allowanceId,
      operation,
    );
  }

  /** Who is refused because Redis is silent has used nothing, also where Redis takes the use when it goes on. */
  async function take(use: Use, limit: number): Promise<Taken> {
    const taking = run(use, limit, true);
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      reject(new Error('Command timed out'));
      taking.then(({ stamp }) => (stamp === null ? undefined : giveBack(use, stamp))).catch(() => undefined);
    }, redisAnswersWithinMs);
    const taken = await Promise.race([taking, late]).finally(() => {
      clearTimeout(timer);
      plentiful.delete(use.allowanceId);
    });
    if (taken.remaining >= plenty) plentiful.add(use.allowanceId);
    const [first] = plentiful;
    if (plentiful.size > knownAllowances && first !== undefined) plentiful.delete(first);
    return taken;
  }

  return {
    take,
    hasPlenty: (allowanceId) => plentiful.has(allowanceId),
    giveBack,
    peek,
    look: (allowanceId, limit) =>
      peek(allowanceId, limit).catch((error: unknown) => {
        if (isRedisAway(error)) return readRecord(allowanceId, limit);
        throw error;
      }),
  };
}
