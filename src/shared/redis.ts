import { Redis } from 'ioredis';

/** First part of every key of ours in Redis. */
export const redisPrefix = 'quarry';

export interface RedisOptions {
  url: string;
  onError: (error: Error) => void;
  /** BullMQ workers block on their connection and must wait for Redis to come back; requests must not. */
  blocking?: boolean;
  /**
   * Commands are not given up by time nor sent again: who sends them stops waiting by itself, and hears of it when
   * they were done after all.
   */
  hearsLate?: boolean;
}

/** A request is refused when Redis has not answered by then. */
export const redisAnswersWithinMs = 2_000;

/**
 * Writes the commands of one tick to the socket together: each write costs more than a command. ioredis' own way
 * (`enableAutoPipelining`) makes a pipeline even of a single command, with all of BullMQ's scripts on it.
 */
class GatheringRedis extends Redis {
  #gathers = false;

  override sendCommand(...args: Parameters<Redis['sendCommand']>): unknown {
    const { stream } = this;
    if (!this.#gathers && stream?.writable) {
      this.#gathers = true;
      stream.cork();
      process.nextTick(() => {
        this.#gathers = false;
        stream.uncork();
      });
    }
    return super.sendCommand(...args);
  }
}

/** Connects on the first command. Reconnects within a second, so that work resumes as soon as Redis is back. */
export function createRedis({ url, onError, blocking = false, hearsLate = false }: RedisOptions): Redis {
  const redis = new GatheringRedis(url, {
    lazyConnect: true,
    enableReadyCheck: true,
    maxRetriesPerRequest: blocking ? null : 1,
    enableOfflineQueue: blocking,
    ...(blocking || hearsLate ? {} : { commandTimeout: redisAnswersWithinMs }),
    autoResendUnfulfilledCommands: !hearsLate,
    connectTimeout: 5_000,
    retryStrategy: (attempt) => Math.min(100 * attempt, 1_000),
  });
  redis.on('error', onError);
  return redis;
}

const unreachable =
  /Stream isn't writeable|Connection is closed|Command aborted due to connection close|Command timed out|max number of clients reached|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN/;
/** Starting, full, its disk full, a replica, alone, busy, closed to us; in front, or where a script quotes it. */
const unable =
  /(^|-)(LOADING|OOM|MISCONF|READONLY|MASTERDOWN|NOREPLICAS|CLUSTERDOWN|TRYAGAIN|BUSY|NOAUTH|WRONGPASS|NOPERM) /;

/** What ioredis would throw, for who stops waiting by itself. */
export const redisAway = (why: 'Command timed out' | 'Connection is closed') => new Error(why);

/** True for failures that say that Redis cannot be reached or cannot work now, not that a command is wrong. */
export function isRedisAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    error.name === 'MaxRetriesPerRequestError' ||
    unreachable.test(error.message) ||
    unable.test(error.message)
  );
}

/** @throws Error where Redis cannot be reached, or takes no writes: every request with a job makes one. */
export async function writeProbe(redis: Redis): Promise<void> {
  await redis.set(`${redisPrefix}:probe`, '', 'PX', 1_000);
}
