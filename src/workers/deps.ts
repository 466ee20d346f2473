import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { modelHosts } from '../shared/ai/read-ai-settings.ts';
import { type Catalog, loadCatalog } from '../shared/catalog.ts';
import type { WorkerConfig } from '../shared/config.ts';
import { createDb, type Db, isDatabaseAway, splitPool } from '../shared/db/client.ts';
import type { ConnectionOptions } from '../shared/db/connections.ts';
import { refuseOldSchema } from '../shared/db/refuse-schema.ts';
import { refusePooler } from '../shared/db/refuse-pooler.ts';
import { createEgressDoor } from '../shared/egress/door.ts';
import { createLog } from '../shared/log.ts';
import type { FileStores } from '../shared/files/file-store.ts';
import { createFileStores } from '../shared/files/stores.ts';
import type { QueueName } from '../shared/operation.ts';
import { providerHosts } from '../shared/provider-settings.ts';
import { type Announcer, createAnnouncer } from '../shared/jobs/announcer.ts';
import { createDispatcher, type Dispatcher } from '../shared/jobs/dispatcher.ts';
import { createJobSecrets, type JobSecrets } from '../shared/jobs/job-secrets.ts';
import { type Reconciler, startReconciler } from '../shared/jobs/reconciler.ts';
import { startRetention } from '../shared/jobs/retention.ts';
import { createMetrics, type Metrics } from '../shared/metrics/metrics.ts';
import { shareMetrics } from '../shared/metrics/share.ts';
import { connectRedis, createRedis, refuseLoneNode } from '../shared/redis.ts';
import { startTracing } from '../shared/tracing/start-tracing.ts';
import type { Tracing } from '../shared/tracing/tracing.ts';
import { createTaskPool } from '../shared/tasks/task-pool.ts';
import { createToolbox, type Toolbox } from './tools.ts';

/** Everything that a worker process is made of. */
export interface WorkerDeps extends AsyncDisposable {
  config: WorkerConfig;
  log: Logger;
  metrics: Metrics;
  catalog: Catalog;
  /** Those of the named queues that an operation uses. */
  queues: readonly QueueName[];
  db: Db;
  /** Connections of their own for statements of the life of jobs, which are short, and whose plans are kept. */
  jobsDb: Db;
  /** Connections of their own for leases, which must be renewed however busy or broken the others are. */
  leaseDb: Db;
  redis: Redis;
  /** For BullMQ: waits for a Redis that is away. */
  blockingRedis: Redis;
  dispatcher: Dispatcher;
  files: FileStores;
  announcer: Announcer;
  /** Is disposed of with all else; one that stops may do it before. */
  reconciler: Reconciler;
  /** A connection of its own, for announcements. */
  subscriber: Redis;
  toolbox: Toolbox;
  tracing: Tracing;
  jobSecrets: JobSecrets;
  resultTtlMs: number;
}

/** A connection that is gone without a word holds a job up for so long: those of its life, and of all else it asks. */
const answersWithinMs = { jobs: 3_000, other: 10_000 };

export async function createWorkerDeps(
  config: WorkerConfig,
  named: readonly QueueName[],
): Promise<WorkerDeps> {
  await using stack = new AsyncDisposableStack();
  const catalog = await loadCatalog(config.EXTENSIONS);
  const queues = named.filter((queue) => catalog.queued.some((operation) => operation.queue === queue));
  const log = createLog({ level: config.LOG_LEVEL, name: ['worker', ...queues].join(' ') });
  const metrics = createMetrics('worker');
  const warn = (what: string) => (error: Error) => log.warn({ err: error }, what);

  await refusePooler(config.DATABASE_URL);
  const connectDb = (options: Omit<ConnectionOptions, 'url' | 'onError'>) =>
    stack.adopt(createDb({ url: config.DATABASE_URL, onError: warn('postgres'), ...options }), (it) =>
      it.destroy(),
    );
  const sizes = splitPool(config.DATABASE_POOL);
  const db = connectDb({ poolSize: sizes.other, databaseAnswersWithinMs: answersWithinMs.other });
  await refuseOldSchema(db).catch((error: unknown) => {
    // A worker that starts while Postgres is away waits for it.
    if (!isDatabaseAway(error)) throw error;
    warn('the schema could not be checked')(error as Error);
  });
  const jobsDb = connectDb({
    poolSize: sizes.jobs,
    databaseAnswersWithinMs: answersWithinMs.jobs,
    keepsPlans: true,
  });
  // Both may fall silent at a renewal, when two thirds of a lease are left.
  const leaseDb = connectDb({ poolSize: 2, databaseAnswersWithinMs: config.JOB_LEASE_MS / 5 });
  const connect = (options: { blocking?: true; forQueues?: true }) =>
    stack.adopt(createRedis({ ...config.redis, onError: warn('redis'), ...options }), (it) =>
      it.disconnect(),
    );
  const redis = connect({});
  // Dispatches are scripts, and as many as jobs: who waits for an end is not to be told it behind them.
  const dispatching = connect({ forQueues: true });
  await Promise.all([redis, dispatching].map((it) => connectRedis(it, warn('redis'))));
  await refuseLoneNode(redis);
  stack.use(shareMetrics(redis, metrics));
  const blockingRedis = connect({ blocking: true, forQueues: true });
  const subscriber = connect({ blocking: true });
  const dispatcher = stack.use(createDispatcher(dispatching));
  const tracing = stack.use(await startTracing(config, 'worker'));
  const egress = stack.use(
    createEgressDoor({
      allow: config.EGRESS_ALLOW,
      proxies: config.EGRESS_PROXY,
      tracing,
      providers: [...providerHosts(config.providers), ...modelHosts(config.ai)],
      onLeaseEnd: (lease) => metrics.countOutcomes(lease.outcomes),
    }),
  );
  const announcer = createAnnouncer(redis, log);
  const resultTtlMs = config.RESULT_TTL_HOURS * 3_600_000;
  const reconciler = stack.use(
    startReconciler({
      db: jobsDb,
      heartbeatDb: leaseDb,
      dispatcher,
      announcer,
      log,
      leaseMs: config.JOB_LEASE_MS,
      resultTtlMs,
    }),
  );
  const files = createFileStores({ db, s3: config.providers.s3, egress });
  stack.use(startRetention({ db, files, log, eventTtlMs: config.EVENT_TTL_HOURS * 3_600_000 }));

  const toolbox = createToolbox(queues, {
    config,
    log,
    metrics,
    db,
    redis,
    lifetime: stack.use(new AsyncDisposableStack()),
    jobTools: {
      openLease: (options) => egress.openLease(options),
      tasks: stack.use(createTaskPool()),
    },
    openProxy: () => egress.openProxy(),
  });
  const owned = stack.move();
  return {
    config,
    log,
    metrics,
    catalog,
    queues,
    db,
    jobsDb,
    leaseDb,
    redis,
    blockingRedis,
    dispatcher,
    files,
    announcer,
    reconciler,
    subscriber,
    toolbox,
    tracing,
    jobSecrets: createJobSecrets(config.jobInputKeys),
    resultTtlMs,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
