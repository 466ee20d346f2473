import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { modelHosts } from '../shared/ai/read-ai-settings.ts';
import type { OperationFinder } from '../shared/catalog.ts';
import type { WorkerConfig } from '../shared/config.ts';
import { createDb, type Db, splitPool } from '../shared/db/client.ts';
import type { ConnectionOptions } from '../shared/db/connections.ts';
import { createEgressDoor } from '../shared/egress/door.ts';
import { createLog } from '../shared/log.ts';
import type { FileStores } from '../shared/files/file-store.ts';
import { createFileStores } from '../shared/files/stores.ts';
import type { QueueName } from '../shared/operation.ts';
import { providerHosts } from '../shared/provider-settings.ts';
import { type Announcer, createAnnouncer } from '../shared/jobs/announcer.ts';
import { createJobSecrets, type JobSecrets } from '../shared/jobs/job-secrets.ts';
import { createMetrics, type Metrics } from '../shared/metrics/metrics.ts';
import { shareMetrics } from '../shared/metrics/share.ts';
import { createRedis } from '../shared/redis.ts';
import { startTracing } from '../shared/tracing/start-tracing.ts';
import type { Tracing } from '../shared/tracing/tracing.ts';
import { createTaskPool } from '../shared/tasks/task-pool.ts';
import { createToolbox, type Toolbox } from './tools.ts';

/** What a process runs jobs with, once it has them. */
export interface JobDeps extends AsyncDisposable {
  config: WorkerConfig;
  log: Logger;
  metrics: Metrics;
  catalog: OperationFinder;
  queues: readonly QueueName[];
  db: Db;
  /** Connections of their own for statements of the life of jobs, which are short, and whose plans are kept. */
  jobsDb: Db;
  /** Connections of their own for leases, which must be renewed however busy or broken the others are. */
  leaseDb: Db;
  /** Not connected yet: takes nothing before `connectRedis`. */
  redis: Redis;
  files: FileStores;
  announcer: Announcer;
  /** A connection of its own, for announcements. */
  subscriber: Redis;
  toolbox: Toolbox;
  tracing: Tracing;
  jobSecrets: JobSecrets;
  resultTtlMs: number;
  /** As in `Config`. */
  checkErrors: boolean;
  /** Makes another one, which is closed with all else. */
  connect(options: { blocking?: true; forQueues?: true }): Redis;
}

/** A connection that is gone without a word holds a job up for so long: those of its life, and of all else it asks. */
const answersWithinMs = { jobs: 3_000, other: 10_000 };

/** For the log: what a connection complains of. */
export const warnOf = (log: Logger, what: string) => (error: Error) => log.warn({ err: error }, what);

export async function createJobDeps(
  config: WorkerConfig,
  { catalog, queues }: Pick<JobDeps, 'catalog' | 'queues'>,
): Promise<JobDeps> {
  await using stack = new AsyncDisposableStack();
  const log = createLog({ level: config.LOG_LEVEL, name: ['worker', ...queues].join(' ') });
  const metrics = createMetrics('worker');

  const connectDb = (options: Omit<ConnectionOptions, 'url' | 'onError'>) =>
    stack.adopt(createDb({ url: config.DATABASE_URL, onError: warnOf(log, 'postgres'), ...options }), (it) =>
      it.destroy(),
    );
  const sizes = splitPool(config.DATABASE_POOL);
  const db = connectDb({ poolSize: sizes.other, databaseAnswersWithinMs: answersWithinMs.other });
  const jobsDb = connectDb({
    poolSize: sizes.jobs,
    databaseAnswersWithinMs: answersWithinMs.jobs,
    keepsPlans: true,
  });
  // Both may fall silent at a renewal, when two thirds of a lease are left.
  const leaseDb = connectDb({ poolSize: 2, databaseAnswersWithinMs: config.JOB_LEASE_MS / 5 });
  const connections = stack.use(new DisposableStack());
  const connect: JobDeps['connect'] = (options) =>
    connections.adopt(createRedis({ ...config.redis, onError: warnOf(log, 'redis'), ...options }), (it) =>
      it.disconnect(),
    );
  const redis = connect({});
  stack.use(shareMetrics(redis, metrics));
  const subscriber = connect({ blocking: true });
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
  const files = createFileStores({ db, s3: config.providers.s3, egress });
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
    files,
    announcer: createAnnouncer(redis, log, metrics),
    subscriber,
    toolbox,
    tracing,
    jobSecrets: createJobSecrets(config.jobInputKeys),
    resultTtlMs: config.RESULT_TTL_HOURS * 3_600_000,
    checkErrors: config.checkErrors,
    connect,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
