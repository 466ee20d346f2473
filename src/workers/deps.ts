import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { type Catalog, loadCatalog } from '../shared/catalog.ts';
import type { Config } from '../shared/config.ts';
import { createDb, type Db, type DbOptions } from '../shared/db/client.ts';
import { createEgressDoor } from '../shared/egress/door.ts';
import type { EgressDoor } from '../shared/egress/types.ts';
import { createLog } from '../shared/log.ts';
import type { QueueName } from '../shared/operation.ts';
import { createDoorbell, type Doorbell } from '../shared/jobs/doorbell.ts';
import { startReconciler } from '../shared/jobs/reconciler.ts';
import { startRetention } from '../shared/jobs/retention.ts';
import { createRedis } from '../shared/redis.ts';
import { type Chromium, createChromium } from './browser/chromium.ts';
import { createCrawlStores } from './crawl/crawl-stores.ts';
import { createPageCache } from './cache/page-cache.ts';
import { createSharedLoads } from './page/shared-loads.ts';
import { createPageReader } from './page/read-page.ts';
import { createTaskPool } from './tasks/task-pool.ts';
import type { WorkerTools } from './tools.ts';

/** Everything that a worker process is made of. */
export interface WorkerDeps extends AsyncDisposable {
  config: Config;
  log: Logger;
  catalog: Catalog;
  db: Db;
  /** Connections of their own for leases, which must be renewed however busy or broken the others are. */
  leaseDb: Db;
  redis: Redis;
  /** For BullMQ: waits for a Redis that is away. */
  blockingRedis: Redis;
  doorbell: Doorbell;
  /** Is disposed of with all else; one that stops may do it before. */
  reconciler: AsyncDisposable;
  /** A connection of its own, for announcements. */
  subscriber: Redis;
  tools: WorkerTools;
  resultTtlMs: number;
}

/** A little after Postgres itself gives a statement up: who has not answered by then is gone without a word. */
const databaseAnswersWithinMs = 65_000;

async function openChromium(config: Config, log: Logger, door: EgressDoor): Promise<Chromium> {
  const dataFolder = join(config.QUARRY_HOME ?? join(homedir(), '.quarry'), 'chromium');
  await mkdir(dataFolder, { recursive: true });
  return createChromium({
    dataFolder,
    log,
    openProxy: () => door.openProxy(),
    sandbox: config.BROWSER_SANDBOX,
    ...(config.CHROME_PATH === undefined ? {} : { chromePath: config.CHROME_PATH }),
  });
}

export async function createWorkerDeps(config: Config, queues: readonly QueueName[]): Promise<WorkerDeps> {
  await using stack = new AsyncDisposableStack();
  const log = createLog({ level: config.LOG_LEVEL, name: `worker ${queues.join(' ')}` });
  const warn = (what: string) => (error: Error) => log.warn({ err: error }, what);
  const catalog = await loadCatalog(config.EXTENSIONS);

  const connectDb = (options: Pick<DbOptions, 'poolSize' | 'databaseAnswersWithinMs'>) =>
    stack.adopt(createDb({ url: config.DATABASE_URL, onError: warn('postgres'), ...options }), (it) =>
      it.destroy(),
    );
  const db = connectDb({ poolSize: config.DATABASE_POOL, databaseAnswersWithinMs });
  // Both may fall silent at a renewal, when two thirds of a lease are left.
  const leaseDb = connectDb({ poolSize: 2, databaseAnswersWithinMs: config.JOB_LEASE_MS / 5 });
  const connect = (blocking: boolean) =>
    stack.adopt(createRedis({ url: config.REDIS_URL, onError: warn('redis'), blocking }), (it) =>
      it.disconnect(),
    );
  const redis = connect(false);
  // Rings are scripts, and as many as jobs: who waits for an end is not to be told it behind them.
  const ringing = connect(false);
  await Promise.all([redis, ringing].map((it) => it.connect().catch(warn('redis'))));
  const blockingRedis = connect(true);
  const subscriber = connect(true);
  const doorbell = stack.use(createDoorbell(ringing));
  const egress = stack.use(createEgressDoor({ allow: config.EGRESS_ALLOW }));
  const chromium = queues.includes('browser') ? stack.use(await openChromium(config, log, egress)) : null;
  const resultTtlMs = config.RESULT_TTL_HOURS * 3_600_000;
  const reconciler = stack.use(
    startReconciler({
      db,
      pulseDb: leaseDb,
      redis,
      doorbell,
      log,
      leaseMs: config.JOB_LEASE_MS,
      resultTtlMs,
    }),
  );
  stack.use(startRetention({ db, log }));

  const tasks = stack.use(createTaskPool());
  const tools: WorkerTools = {
    openLease: (options) => egress.openLease(options),
    tasks,
    pageReader: createPageReader(tasks),
    crawls: stack.use(createCrawlStores({ db, redis, log, perHost: config.CRAWL_HOST_CONCURRENCY })),
    pageCopies: stack.use(createPageCache({ db, log, maxBytes: config.PAGE_CACHE_MB * 1_048_576 })),
    pageLoads: createSharedLoads(),
    renders: createSharedLoads(),
    chromium() {
      if (chromium === null) throw new Error('This process does not serve the browser queue');
      return chromium;
    },
  };
  const owned = stack.move();
  return {
    config,
    log,
    catalog,
    db,
    leaseDb,
    redis,
    blockingRedis,
    doorbell,
    reconciler,
    subscriber,
    tools,
    resultTtlMs,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
