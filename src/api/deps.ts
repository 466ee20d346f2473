import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { modelHosts } from '../shared/ai/read-ai-settings.ts';
import { type Catalog, loadCatalog } from '../shared/catalog.ts';
import type { Config } from '../shared/config.ts';
import { batchLoad } from '../shared/batch-load.ts';
import { findApiKeysByLookupId } from '../shared/db/api-keys.ts';
import type { ApiKeyRow } from '../shared/db/account-tables.ts';
import { createDb, type Db, isDatabaseAway, splitPool } from '../shared/db/client.ts';
import { refuseOldSchema } from '../shared/db/refuse-schema.ts';
import { refusePooler } from '../shared/db/refuse-pooler.ts';
import { createEgressDoor } from '../shared/egress/door.ts';
import type { EgressDoor } from '../shared/egress/types.ts';
import type { FileStores } from '../shared/files/file-store.ts';
import { createFileStores } from '../shared/files/stores.ts';
import { checkEncryptionKeys } from '../shared/keys/encryption-keys.ts';
import { createKeyCipher, type KeyCipher } from '../shared/keys/key-cipher.ts';
import { createLog } from '../shared/log.ts';
import { type Announcer, createAnnouncer } from '../shared/jobs/announcer.ts';
import { findEndedIds } from '../shared/jobs/find-jobs.ts';
import { createDispatcher, type Dispatcher } from '../shared/jobs/dispatcher.ts';
import { createCompletionWaiter, type CompletionWaiter } from '../shared/jobs/completion-waiter.ts';
import { createJobSecrets, type JobSecrets } from '../shared/jobs/job-secrets.ts';
import { startReconciler } from '../shared/jobs/reconciler.ts';
import { startRetention } from '../shared/jobs/retention.ts';
import { providerHosts } from '../shared/provider-settings.ts';
import { createMetrics, type Metrics } from '../shared/metrics/metrics.ts';
import { shareMetrics } from '../shared/metrics/share.ts';
import { connectRedis, createRedis, refuseLoneNode } from '../shared/redis.ts';
import { createSubmit, type Submit } from '../shared/jobs/submit.ts';
import { keepJobs } from '../shared/jobs/transitions/accept.ts';
import { createWithdrawal, type Withdrawal } from '../shared/jobs/withdrawal.ts';
import { createTaskPool } from '../shared/tasks/task-pool.ts';
import type { TaskPool } from '../shared/tasks/task.ts';
import { startTracing } from '../shared/tracing/start-tracing.ts';
import type { Tracing } from '../shared/tracing/tracing.ts';
import { type Allowances, createAllowances } from '../shared/usage/allowance.ts';
import { startUsageFlush } from '../shared/usage/flush-uses.ts';
import { createFindJob, type FoundJob } from './find-job.ts';
import { createHealth, type Health } from './health.ts';
import { createKnownKeys, type KnownKeys } from './http/known-keys.ts';
import { createModelAvailability, type ModelAvailability } from './model-availability.ts';
import { createLinks, type Links } from './links.ts';
import { type BetterAuth, createBetterAuth } from './sessions/better-auth.ts';
import { createFindClientAddress, type FindClientAddress } from './sessions/client-address.ts';
import { createUserGate, type UserGate } from './user-gate.ts';
import { createWebhookSecrets, type WebhookSecrets } from './webhooks/secrets.ts';

/** Everything that the API is made of. */
export interface ApiDeps extends AsyncDisposable {
  config: Config;
  log: Logger;
  metrics: Metrics;
  catalog: Catalog;
  db: Db;
  /** Connections of their own for statements of the life of jobs and for look-ups of keys, whose plans are kept. */
  jobsDb: Db;
  announcer: Announcer;
  redis: Redis;
  /** For subscriptions only. */
  subscriber: Redis;
  dispatcher: Dispatcher;
  completions: CompletionWaiter;
  submit: Submit;
  withdrawal: Withdrawal;
  findJob: (id: string) => Promise<FoundJob | undefined>;
  /** Waits until the row of an `untold` job is on the disk; undefined where a crash of Postgres has forgotten it. */
  keepJob: (id: string) => Promise<boolean | undefined>;
  /** Whether the job with this id has; one that is gone has not. */
  hasEnded: (id: string) => Promise<boolean | undefined>;
  egress: EgressDoor;
  tracing: Tracing;
  files: FileStores;
  /** What takes long to be read; its processes are there only while there is work. */
  tasks: TaskPool;
  cipher: KeyCipher;
  jobSecrets: JobSecrets;
  /** By lookup id. Requests that arrive together share one query. */
  findKey: (lookupId: string) => Promise<ApiKeyRow | undefined>;
  knownKeys: KnownKeys;
  allowances: Allowances;
  auth: BetterAuth;
  links: Links;
  health: Health;
  webhookSecrets: WebhookSecrets;
  findClientAddress: FindClientAddress;
  models: ModelAvailability;
  gate: UserGate;
  resultTtlMs: number;
}

/** Of Postgres: somebody waits, and is better told that it hangs. */
const databaseAnswersWithinMs = 5_000;

export async function createApiDeps(config: Config): Promise<ApiDeps> {
  await using stack = new AsyncDisposableStack();
  const log = createLog({ level: config.LOG_LEVEL, name: 'api' });
  const warn = (what: string) => (error: Error) => log.warn({ err: error }, what);
  const catalog = await loadCatalog(config.EXTENSIONS);
  const metrics = createMetrics('api');

  await refusePooler(config.DATABASE_URL);
  const connectDb = (options: { poolSize: number; keepsPlans?: true }) =>
    stack.adopt(
      createDb({ url: config.DATABASE_URL, onError: warn('postgres'), databaseAnswersWithinMs, ...options }),
      (it) => it.destroy(),
    );
  const sizes = splitPool(config.DATABASE_POOL);
  const db = connectDb({ poolSize: sizes.other });
  const jobsDb = connectDb({ poolSize: sizes.jobs, keepsPlans: true });
  const connect = (options: { blocking?: true; hearsLate?: true; forQueues?: true }) =>
    stack.adopt(createRedis({ ...config.redis, onError: warn('redis'), ...options }), (it) =>
      it.disconnect(),
    );
  const redis = connect({});
  // Dispatches are scripts, and as many as jobs: no other command is to wait behind them.
  const dispatching = connect({ forQueues: true });
  const takes = connect({ hearsLate: true });
  await Promise.all([redis, dispatching, takes].map((it) => connectRedis(it, warn('redis'))));
  await refuseLoneNode(redis);
  stack.use(shareMetrics(redis, metrics));
  const dispatcher = stack.use(createDispatcher(dispatching));
  const subscriber = connect({ blocking: true });
  const completions = stack.use(createCompletionWaiter({ subscriber, db: jobsDb, log }));
  const tracing = stack.use(await startTracing(config, 'api', log));
  const egress = stack.use(
    createEgressDoor({
      allow: config.EGRESS_ALLOW,
      proxies: config.EGRESS_PROXY,
      tracing,
      providers: [...modelHosts(config.ai), ...providerHosts(config.providers)],
      onLeaseEnd: (lease) => metrics.countOutcomes(lease.outcomes),
    }),
  );
  const resultTtlMs = config.RESULT_TTL_HOURS * 3_600_000;
  const announcer = createAnnouncer(redis, log, metrics);
  const leaseMs = config.JOB_LEASE_MS;
  stack.use(startReconciler({ db: jobsDb, dispatcher, announcer, log, leaseMs, resultTtlMs }));
  const files = createFileStores({ db, s3: config.providers.s3, egress });
  stack.use(startRetention({ db, files, log, eventTtlMs: config.EVENT_TTL_HOURS * 3_600_000 }));
  stack.use(startUsageFlush({ redis, db, log }));
  const withdrawal = stack.use(createWithdrawal({ db: jobsDb, announcer, log, resultTtlMs }));

  const cipher = createKeyCipher(config.KEY_ENCRYPTION_KEYS);
  try {
    await refuseOldSchema(db);
    await checkEncryptionKeys(db, cipher);
  } catch (error) {
    // Postgres away is no reason not to start; a key that cannot be opened says so when it is used.
    if (!isDatabaseAway(error)) throw error;
    log.warn({ err: error }, 'the schema and the encryption keys could not be checked');
  }

  const tasks = stack.use(createTaskPool({ processes: 2 }));
  const owned = stack.move();
  return {
    config,
    log,
    metrics,
    catalog,
    db,
    jobsDb,
    announcer,
    redis,
    subscriber,
    dispatcher,
    completions,
    egress,
    tracing,
    files,
    tasks,
    cipher,
    jobSecrets: createJobSecrets(config.jobInputKeys),
    withdrawal,
    submit: createSubmit({
      db: jobsDb,
      dispatcher,
      withdrawal,
      announcer,
      log,
      pendingBound: config.PENDING_JOBS_PER_USER,
    }),
    findJob: createFindJob(jobsDb, db),
    keepJob: batchLoad(async (ids) => new Map((await keepJobs(jobsDb, ids)).map((id) => [id, true]))),
    hasEnded: batchLoad(async (ids) => new Map((await findEndedIds(jobsDb, ids)).map((id) => [id, true]))),
    findKey: batchLoad((lookupIds) => findApiKeysByLookupId(jobsDb, lookupIds)),
    knownKeys: createKnownKeys(),
    allowances: createAllowances(redis, db, takes),
    auth: createBetterAuth({ config, db, log }),
    links: createLinks(config.LINK_SECRET),
    findClientAddress: createFindClientAddress(config.TRUSTED_PROXIES),
    webhookSecrets: createWebhookSecrets(db, config.LINK_SECRET),
    health: createHealth(jobsDb, redis, [...new Set(catalog.queued.map((operation) => operation.queue))]),
    models: createModelAvailability(config.ai, egress),
    gate: createUserGate(),
    resultTtlMs,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
