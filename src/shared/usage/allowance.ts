import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { batchLoad } from '../batch-load.ts';
import type { Db } from '../db/client.ts';
import { listRecentUses, type UsesAt } from '../db/recent-uses.ts';
import { isRedisAway, redisAnswersWithinMs, redisAway, redisPrefix } from '../redis.ts';
import { defineAllowanceScripts, type TakeAnswer } from './allowance-scripts.ts';
import { createUsesUnderWay, type Use, type Whose } from './uses-under-way.ts';

export const windowSeconds = 3_600;
export const usageStream = `${redisPrefix}:usage`;

/** Requests in any 3,600 s: of the key, and of all keys of its user together. */
export interface Limits {
  perKey: number;
  perUser: number;
}

export interface WindowState {
  limit: number;
  /** Counted uses of the last 3,600 s. */
  used: number;
  remaining: number;
  /**
   * Until more is left: until the oldest counted use leaves the window, and where a limit was lowered, as many as are
   * too many before it. Null when there is none.
   */
  resetMs: number | null;
}

/** Both windows that a request counts in. */
export interface AllowanceState {
  key: WindowState;
  user: WindowState;
}

export interface Taken extends AllowanceState {
  accepted: boolean;
  /** For `giveBack`. Null when refused. */
  stamp: string | null;
}

/** The window that ends first. */
export const scarcerOf = ({ key, user }: AllowanceState): WindowState =>
  user.remaining < key.remaining ? user : key;

/** More than is taken from an allowance elsewhere between two takes here, as a rule. */
const plenty = 500;
const knownAllowances = 10_000;
/** Brought for one request: Redis has lost its data meanwhile each time. */
const mostRecords = 10;

/** The exact hourly windows of keys and users, in Redis; every use is also put on the stream to Postgres. */
export interface Allowances {
  /** What comes of its job is told by `settled` or `giveBack`. */
  take(use: Use, limits: Limits): Promise<Taken>;
  /** The last take of this process left plenty: the next one is as good as sure. */
  hasPlenty(whose: Whose): boolean;
  /** The job of a take is in Postgres now, or never will be. */
  settled(jobId: string): void;
  /** Undoes a take whose request could not be accepted after all. */
  giveBack(use: Use, stamp: string): Promise<void>;
  /** Reads both windows without taking. */
  read(whose: Whose, limits: Limits): Promise<AllowanceState>;
  /** As `read`; while Redis is away, from the record in Postgres. */
  readWithFallback(whose: Whose, limits: Limits): Promise<AllowanceState>;
}

interface ListState {
  nowMs: number;
  oldest: number | null;
  length: number;
}
const noList: ListState = { nowMs: 0, oldest: null, length: 0 };

const listOf = (allowanceId: string) => `${redisPrefix}:allowance:${allowanceId}`;
const epochKey = `${redisPrefix}:allowance-epoch`;
const userListOf = (userId: string) => `${redisPrefix}:user-allowance:${userId}`;
const listsOf = ({ allowanceId, userId }: Whose) =>
  [listOf(allowanceId), userListOf(userId), usageStream] as const;

const toWindow = (limit: number, used: number, resetMs: number): WindowState => ({
  limit,
  used,
  remaining: Math.max(0, limit - used),
  resetMs: resetMs < 0 ? null : resetMs,
});

/** @param takes the connection that uses are taken on: it hears of those that a slow Redis takes too late. */
export function createAllowances(redis: Redis, db: Db, takes = redis): Allowances {
  for (const it of [redis, takes]) defineAllowanceScripts(it, windowSeconds * 1_000);
  const uses = createUsesUnderWay();
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
        .then(([accepted, , , , , stamp]) => (accepted === 1 ? giveBack(use, stamp) : undefined))
        .catch(() => undefined);
    }, redisAnswersWithinMs);
    underWay.add(reject);
    return await Promise.race([taking, givenUp]).finally(() => {
      clearTimeout(timer);
      underWay.delete(reject);
    });
  }

  /** What Postgres knows of both windows, and what this process has under way. */
  async function bringRecord(whose: Whose): Promise<UsesAt[]> {
    const stamps = uses.stampsOf(whose);
    const asked = { ...whose, windowSeconds, except: uses.ids() };
    return [...(await listRecentUses(db, asked)), ...stamps].sort((a, b) => a.at - b.at);
  }

  async function run(use: Use, limits: Limits, counts: boolean): Promise<Taken> {
    const call = (epoch: string, record: readonly UsesAt[]) => {
      const { keyId, userId, allowanceId, operation } = use;
      const args = [limits.perKey, limits.perUser, counts ? 1 : 0, epoch];
      const brought = record.flatMap(({ at, ofKey, ofUser }) => [at, ofKey, ofUser]);
      const who = [keyId, userId, allowanceId, operation, randomUUID()];
      // All on one connection, and each use is noted as its answer comes: who is asked for the record next brings it.
      const asked = takes
        .quarryTake(...listsOf(use), epochKey, ...args, ...who, ...brought)
        .then((answer) => {
          if (counts && answer[0] === 1) uses.taken(use, answer[5]);
          return answer;
        });
      return answerOf(asked, use);
    };
    let answer = await call('', []);
    for (let records = 0; answer[0] === -1; records++) {
      if (records === mostRecords) throw redisAway('Command timed out');
      answer = await call(answer[5], await bringRecord(use));
    }
    const [accepted, used, resetMs, userUsed, userResetMs, stamp] = answer;
    return {
      accepted: accepted === 1,
      key: toWindow(limits.perKey, used, resetMs),
      user: toWindow(limits.perUser, userUsed, userResetMs),
      stamp: accepted === 1 ? stamp : null,
    };
  }

  const plentiful = new Set<string>();

  /** Plain reads of many lists in one run of Lua: a command for each costs more than what it does. */
  const readList = batchLoad(async (lists): Promise<ReadonlyMap<string, ListState>> => {
    const [seconds, microseconds, ...reads] = await redis.quarryRead(lists.length, ...lists);
    const nowMs = Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
    return new Map(
      lists.map((list, n) => {
        const oldest = reads[2 * n] as string | null;
        return [
          list,
          { nowMs, oldest: oldest === null ? null : Number(oldest), length: Number(reads[2 * n + 1]) },
        ];
      }),
    );
  });

  /** @returns undefined where the list is not there, has stamps to drop, or more than the limit: that takes `quarryTake`. */
  async function readWindow(list: string, limit: number): Promise<WindowState | undefined> {
    const { nowMs, oldest, length } = (await readList(list)) ?? noList;
    if (oldest === null || length > limit) return undefined;
    const resetMs = oldest + windowSeconds * 1_000 - nowMs;
    if (resetMs > 0) return toWindow(limit, length, resetMs);
    return length === 1 ? toWindow(limit, 0, -1) : undefined;
  }

  async function read(whose: Whose, limits: Limits): Promise<AllowanceState> {
    const [key, user] = await Promise.all([
      readWindow(listOf(whose.allowanceId), limits.perKey),
      readWindow(userListOf(whose.userId), limits.perUser),
    ]);
    if (key && user) return { key, user };
    return await run({ ...whose, keyId: '', operation: '', jobId: '' }, limits, false);
  }

  async function readRecord(whose: Whose, limits: Limits): Promise<AllowanceState> {
    const now = Date.now();
    const record = await bringRecord(whose);
    const windowOf = (limit: number, countOf: (use: UsesAt) => number) => {
      const stamps = record.flatMap((use) => Array<number>(countOf(use)).fill(Math.min(use.at, now)));
      const next = stamps[Math.max(0, stamps.length - limit)];
      const resetMs = next === undefined ? -1 : Math.max(0, next + windowSeconds * 1_000 - now);
      return toWindow(limit, stamps.length, resetMs);
    };
    return {
      key: windowOf(limits.perKey, ({ ofKey }) => ofKey),
      user: windowOf(limits.perUser, ({ ofUser }) => ofUser),
    };
  }

  async function giveBack(use: Use, stamp: string): Promise<void> {
    uses.end(use.jobId);
    const { keyId, userId, allowanceId, operation } = use;
    await redis.quarryGiveBack(...listsOf(use), stamp, keyId, userId, allowanceId, operation);
  }

  async function take(use: Use, limits: Limits): Promise<Taken> {
    uses.begin(use);
    const plentyOf = `${use.allowanceId} ${use.userId}`;
    const taken = await run(use, limits, true).catch((error: unknown) => {
      plentiful.delete(plentyOf);
      uses.end(use.jobId);
      throw error;
    });
    if (taken.stamp === null) uses.end(use.jobId);
    plentiful.delete(plentyOf);
    if (Math.min(taken.key.remaining, taken.user.remaining) >= plenty) plentiful.add(plentyOf);
    const [first] = plentiful;
    if (plentiful.size > knownAllowances && first !== undefined) plentiful.delete(first);
    return taken;
  }

  return {
    take,
    hasPlenty: ({ allowanceId, userId }) => plentiful.has(`${allowanceId} ${userId}`),
    settled: uses.end,
    giveBack,
    read,
    readWithFallback: (whose, limits) =>
      read(whose, limits).catch((error: unknown) => {
        if (isRedisAway(error)) return readRecord(whose, limits);
        throw error;
      }),
  };
}
