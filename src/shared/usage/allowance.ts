import type { Redis } from 'ioredis';
import { coalesce } from '../coalesce.ts';
import type { Db } from '../db/client.ts';
import { listRecentUses } from '../db/key-usage.ts';
import { isRedisAway, redisAnswersWithinMs, redisAway, redisPrefix } from '../redis.ts';
import { defineAllowanceScripts, type TakeAnswer } from './allowance-scripts.ts';

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

interface Glance {
  nowMs: number;
  oldest: number | null;
  length: number;
}
const noGlance: Glance = { nowMs: 0, oldest: null, length: 0 };

const listOf = (allowanceId: string) => `${redisPrefix}:allowance:${allowanceId}`;

/** @param takes the connection that uses are taken on: it hears of those that a slow Redis takes too late. */
export function createAllowances(redis: Redis, db: Db, takes = redis): Allowances {
  for (const it of [redis, takes]) defineAllowanceScripts(it, windowSeconds * 1_000);
  const underWay = new Set<(error: Error) => void>();
  takes.on('close', () => {
    for (const reject of underWay) reject(redisAway('Connection is closed'));
  });

  /**
   * Who is refused because Redis is silent has used nothing, also where Redis takes the use when it goes on. Only where
   * the connection breaks before it answers, nobody hears whether the use was taken: it may stay counted.
   */
  async function answerOf(taking: Promise<TakeAnswer>, use: Use): Promise<TakeAnswer> {
    const { promise: givenUp, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      reject(redisAway('Command timed out'));
      taking
        .then(([accepted, , , stamp]) => (accepted === 1 ? giveBack(use, stamp) : undefined))
        .catch(() => undefined);
    }, redisAnswersWithinMs);
    underWay.add(reject);
    return await Promise.race([taking, givenUp]).finally(() => {
      clearTimeout(timer);
      underWay.delete(reject);
    });
  }

  async function run(use: Use, limit: number, counts: boolean): Promise<Taken> {
    const list = listOf(use.allowanceId);
    const call = (record: readonly number[] | null) => {
      const { keyId, userId, allowanceId, operation } = use;
      const args = [limit, counts ? 1 : 0, record === null ? 0 : 1, keyId, userId, allowanceId, operation];
      const asked = (counts ? takes : redis).quarryTake(list, usageStream, ...args, ...(record ?? []));
      return counts ? answerOf(asked, use) : asked;
    };
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

  async function take(use: Use, limit: number): Promise<Taken> {
    const taken = await run(use, limit, true).finally(() => plentiful.delete(use.allowanceId));
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
