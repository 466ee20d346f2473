import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster, type ClusterNode, type ClusterOptions, Redis } from 'ioredis';
import type { Logger } from 'pino';
import { ConfigError, type RedisNodes } from './config.ts';

/** First part of every key of ours in Redis. */
export const redisPrefix = 'quarry';

/**
 * Where the keys of a BullMQ queue stand. In a Redis Cluster those of one queue must share a slot, and the queues
 * should not, so that its nodes share the work.
 */
export const queuePrefix = (redis: Pick<Redis, 'isCluster'>, queue: string): string =>
  redis.isCluster ? `${redisPrefix}:{${queue}}` : redisPrefix;

export interface RedisOptions extends RedisNodes {
  onError: (error: Error) => void;
  /** BullMQ workers block on their connection and must wait for Redis to come back; requests must not. */
  blocking?: boolean;
  /**
   * Commands are not given up by time nor sent again: who sends them stops waiting by itself, and hears of it when
   * they were done after all.
   */
  hearsLate?: boolean;
  /** For BullMQ, which names the slots of its keys itself; all other keys of ours share one. */
  forQueues?: boolean;
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

/**
 * Where the slots were read but the cluster was found failing, the promise of ioredis' `connect` never settles, though
 * the client connects by itself later. BullMQ's workers wait for it without a bound.
 */
class SettlingCluster extends Cluster {
  readonly #nodes: ClusterNode[];
  #whenReady: Promise<void> | null = null;

  constructor(nodes: ClusterNode[], options: ClusterOptions) {
    super(nodes, options);
    this.#nodes = nodes;
  }

  override async connect(): Promise<void> {
    const attempt = super.connect();
    this.#whenReady ??= new Promise((resolve, reject) => {
      // Each is emitted a tick after the status has changed, and may be out of date.
      const settle = () => {
        if (this.status !== 'ready' && this.status !== 'end') return;
        this.off('ready', settle).off('end', settle);
        this.#whenReady = null;
        if (this.status === 'ready') resolve();
        else reject(redisAway('Connection is closed'));
      };
      this.on('ready', settle).on('end', settle);
    });
    await Promise.race([attempt, this.#whenReady]);
  }

  /** BullMQ makes its own connections by this. */
  override duplicate(nodes = this.#nodes, options: ClusterOptions = {}): SettlingCluster {
    return new SettlingCluster(nodes, { ...this.options, ...options });
  }
}

const retryDelay = (attempt: number) => Math.min(100 * attempt, 1_000);

function connectionOptions({ blocking = false, hearsLate = false }: RedisOptions) {
  return {
    lazyConnect: true,
    enableReadyCheck: true,
    maxRetriesPerRequest: blocking ? null : 1,
    enableOfflineQueue: blocking,
    ...(blocking || hearsLate ? {} : { commandTimeout: redisAnswersWithinMs }),
    autoResendUnfulfilledCommands: !hearsLate,
    // `keepSubscribed` does it, and hears of a refusal.
    autoResubscribe: false,
    connectTimeout: 5_000,
  };
}

/** @param options the nodes have one user and password, those of the first URL. */
function createCluster(options: RedisOptions): Cluster {
  const { urls, blocking = false, hearsLate = false, forQueues = false } = options;
  const nodes = urls.map((text) => new URL(text));
  const [{ username, password, protocol } = new URL('redis:')] = nodes;
  const isTls = protocol === 'rediss:';
  const { enableOfflineQueue: _, ...redisOptions } = connectionOptions(options);
  return new SettlingCluster(
    nodes.map(({ hostname, port }) => ({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port || 6379),
    })),
    {
      lazyConnect: true,
      enableOfflineQueue: blocking,
      clusterRetryStrategy: retryDelay,
      // What a broken connection has not answered is sent again after this long, or never.
      retryDelayOnFailover: hearsLate ? 0 : 100,
      ...(forQueues ? {} : { keyPrefix: `{${redisPrefix}}:` }),
      // A certificate is for a name.
      ...(isTls ? { dnsLookup: (name, found) => found(null, name) } : {}),
      redisOptions: {
        ...redisOptions,
        ...(username && { username: decodeURIComponent(username) }),
        ...(password && { password: decodeURIComponent(password) }),
        ...(isTls ? { tls: {} } : {}),
      },
    },
  );
}

/** Connects on the first command. Reconnects within a second, so that work resumes as soon as Redis is back. */
export function createRedis(options: RedisOptions): Redis {
  const redis = options.isCluster
    ? // It has the commands of the other, and is asked nothing else.
      (createCluster(options) as unknown as Redis)
    : new GatheringRedis(options.urls[0] ?? '', { ...connectionOptions(options), retryStrategy: retryDelay });
  redis.on('error', options.onError);
  return redis;
}

const unreachable =
  /Stream isn't writeable|Connection is closed|Command aborted due to connection close|Command timed out|max number of clients reached|ECONNREFUSED|connect (?:ENOENT|EAGAIN)|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN|Cluster isn't ready|Cluster is ended|Failed to refresh slots cache|Too many Cluster redirections|No subscriber for the cluster/;
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
    error.name === 'ClusterAllFailedError' ||
    unreachable.test(error.message) ||
    unable.test(error.message)
  );
}

const subscribeAgainMs = 5_000;

/**
 * Subscribes with each new connection, and now and then again: Redis may have refused, and in a cluster the connection is
 * not ours. Not before the connection is ready: ioredis would send it past its own question whether Redis is ready, which a
 * subscriber may not ask; it gives that connection up with all that waits for it, and makes one without subscriptions.
 */
export function keepSubscribed(subscriber: Redis, channels: readonly string[], log: Logger): void {
  const subscribe = () => {
    if (subscriber.status !== 'ready') return;
    subscriber
      .subscribe(...channels)
      .catch((error: unknown) => log.warn({ err: error, channels }, 'announcements are not heard'));
  };
  const again = setInterval(subscribe, subscribeAgainMs).unref();
  subscriber.on('ready', subscribe).once('end', () => clearInterval(again));
  // What fails is told as an error event, and tried again.
  if (subscriber.status === 'wait') subscriber.connect().catch(() => undefined);
  else subscribe();
}

const connectWithinMs = 5_000;

/** Until it is connected, or is not in time: it goes on trying by itself. A cluster without one of its nodes may take long. */
export async function connectRedis(redis: Redis, onError: (error: Error) => void): Promise<void> {
  await Promise.race([redis.connect().catch(onError), sleep(connectWithinMs, undefined, { ref: false })]);
}

/**
 * Nothing where Redis is away: that is no reason not to start.
 * @throws ConfigError where a node of a cluster is spoken to as if it were alone: it refuses most keys.
 */
export async function refuseLoneNode(redis: Redis): Promise<void> {
  const info = redis.isCluster ? '' : await redis.info('cluster').catch(() => '');
  if (!info.includes('cluster_enabled:1')) return;
  throw new ConfigError([
    'REDIS_URL names one node of a Redis Cluster. Set REDIS_CLUSTER=1, or name several of its nodes, separated by commas',
  ]);
}

/** @throws Error where Redis cannot be reached, or takes no writes: every request with a job makes one. */
export async function writeProbe(redis: Redis): Promise<void> {
  await redis.set(`${redisPrefix}:probe`, '', 'PX', 1_000);
}
