import type { Redis } from 'ioredis';
import { type Catalog, loadCatalog } from '../shared/catalog.ts';
import type { WorkerConfig } from '../shared/config.ts';
import { isDatabaseAway } from '../shared/db/client.ts';
import { refuseOldSchema } from '../shared/db/refuse-schema.ts';
import { refusePooler } from '../shared/db/refuse-pooler.ts';
import type { QueueName } from '../shared/operation.ts';
import { createDispatcher, type Dispatcher } from '../shared/jobs/dispatcher.ts';
import { type Reconciler, startReconciler } from '../shared/jobs/reconciler.ts';
import { startRetention } from '../shared/jobs/retention.ts';
import { connectRedis, refuseLoneNode } from '../shared/redis.ts';
import { createJobDeps, type JobDeps, warnOf } from './job-deps.ts';

/** Everything that a worker process is made of. */
export interface WorkerDeps extends JobDeps {
  catalog: Catalog;
  /** Those of the named queues that an operation uses. */
  queues: readonly QueueName[];
  /** For BullMQ: waits for a Redis that is away. */
  blockingRedis: Redis;
  dispatcher: Dispatcher;
  /** Is disposed of with all else; one that stops may do it before. */
  reconciler: Reconciler;
}

export async function createWorkerDeps(
  config: WorkerConfig,
  named: readonly QueueName[],
): Promise<WorkerDeps> {
  await using stack = new AsyncDisposableStack();
  await refusePooler(config.DATABASE_URL);
  const catalog = await loadCatalog(config.EXTENSIONS);
  const queues = named.filter((queue) => catalog.queued.some((operation) => operation.queue === queue));
  const deps = stack.use(await createJobDeps(config, { catalog, queues }));
  const { log, db, jobsDb, leaseDb, redis, files, announcer, resultTtlMs } = deps;
  await refuseOldSchema(db).catch((error: unknown) => {
    // A worker that starts while Postgres is away waits for it.
    if (!isDatabaseAway(error)) throw error;
    warnOf(log, 'the schema could not be checked')(error as Error);
  });
  // Dispatches are scripts, and as many as jobs: who waits for an end is not to be told it behind them.
  const dispatching = deps.connect({ forQueues: true });
  await Promise.all([redis, dispatching].map((it) => connectRedis(it, warnOf(log, 'redis'))));
  await refuseLoneNode(redis);
  const dispatcher = stack.use(createDispatcher(dispatching));
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
  stack.use(startRetention({ db, files, log, eventTtlMs: config.EVENT_TTL_HOURS * 3_600_000 }));
  const owned = stack.move();
  return {
    ...deps,
    catalog,
    blockingRedis: deps.connect({ blocking: true, forQueues: true }),
    dispatcher,
    reconciler,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
