import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'bullmq';
import { ConfigError, readWorkerConfig, type WorkerConfig } from '../shared/config.ts';
import { createId } from '../shared/ids.ts';
import { type QueueName, queueNames } from '../shared/operation.ts';
import { runProcess } from '../shared/process.ts';
import type { Dispatch } from '../shared/jobs/dispatcher.ts';
import { announceWorker } from '../shared/jobs/worker-registry.ts';
import { endLease, findIsolationGroup } from '../shared/jobs/transitions/lease.ts';
import { createWorkerDeps } from './deps.ts';
import { checkHandlerFiles } from './handler-files.ts';
import { createProcessor } from './jobs/processor.ts';
import { createDispatchWorker } from './jobs/dispatch-worker.ts';
import { createIsolatedRunner } from './jobs/isolated-runner.ts';
import { startWatchdog } from './jobs/watchdog.ts';

/** A job that must run in a process of its own asks again after this long where none is free; it holds no place meanwhile. */
const isolatedAgainMs = 500;

/** BullMQ is done at once where Redis is there, and waits for it as long as it takes where it is not. */
const closeWithinMs = 500;

function readQueues(names: readonly string[]): QueueName[] {
  const known = names.filter((name): name is QueueName => queueNames.some((queue) => queue === name));
  if (names.length === 0 || known.length < names.length) {
    throw new ConfigError([
      `Name the queues that this worker serves: node src/workers/main.ts ${queueNames.join(' | ')} (several are possible)`,
    ]);
  }
  return known;
}

const concurrencyOf = (queue: QueueName, config: WorkerConfig): number =>
  ({
    http: config.HTTP_CONCURRENCY,
    browser: config.BROWSER_CONCURRENCY,
    review: config.REVIEW_CONCURRENCY,
    video: config.VIDEO_CONCURRENCY,
    ai: config.AI_CONCURRENCY,
    seo: config.SEO_CONCURRENCY,
  })[queue];

await runProcess(async (lifetime) => {
  const named = readQueues(process.argv.slice(2));
  const config = readWorkerConfig(named);
  lifetime.use(startWatchdog(config.JOB_LEASE_MS));
  const deps = lifetime.use(await createWorkerDeps(config, named));
  const { log, redis, blockingRedis, queues } = deps;
  await checkHandlerFiles(deps.catalog);
  const workerId = config.QUARRY_WORKER_ID ?? null;
  if (workerId !== null) {
    // The process before this one has died, or has handed back what it ran. Before anything new is taken: where some of
    // it kills this one too, what is old and what is new shares that death, and is not to die of one each.
    await deps.reconciler
      .recoverFrom(workerId, queues)
      .catch((error: unknown) => log.warn({ err: error }, 'jobs of the process before this one wait'));
  }
  const processor = lifetime.use(
    createProcessor({ ...deps, db: deps.jobsDb, leaseMs: config.JOB_LEASE_MS, workerId }),
  );

  const workers: Worker<Dispatch, void>[] = [];
  const notEnded = (error: unknown) => log.warn({ err: error }, 'a lease was not ended');
  const isolated = createIsolatedRunner({
    queues,
    onDeath: (lease) => endLease(deps.jobsDb, lease).catch(notEnded),
    onSharedDeath: (lease) => processor.giveBack(lease).catch(notEnded),
  });
  const answers = new Set<Promise<void>>();
  async function findPlace(dispatch: Dispatch): Promise<void> {
    const { id } = dispatch;
    if (!dispatch.isolated) {
      await processor.process(dispatch);
      return;
    }
    const group = await findIsolationGroup(deps.jobsDb, id);
    // Another dispatch of it was handled before.
    if (group === undefined) return;
    if (!(await isolated.run(id, group))) await processor.passOn(id, isolatedAgainMs);
  }
  async function answer(dispatch: Dispatch): Promise<void> {
    const answering = findPlace(dispatch);
    answers.add(answering);
    await answering.finally(() => answers.delete(answering));
  }
  async function untilAnswered(): Promise<void> {
    while (answers.size > 0) await Promise.allSettled(answers);
  }
  async function stop(): Promise<void> {
    isolated.stop();
    const closed = Promise.all(workers.map((worker) => worker.close()));
    await processor.stop(untilAnswered());
    await Promise.race([closed, sleep(closeWithinMs)]);
  }
  const presence = new AsyncDisposableStack();
  // Side by side: each waits for a Redis that hangs.
  lifetime.defer(async () => {
    await Promise.all([presence.disposeAsync(), deps.reconciler[Symbol.asyncDispose](), stop()]);
  });
  for (const queue of queues) {
    const worker = createDispatchWorker(queue, {
      redis: blockingRedis,
      concurrency: concurrencyOf(queue, config),
      answer,
    });
    worker.on('error', (error) => log.warn({ err: error, queue }, 'queue'));
    worker.on('failed', (job, error) =>
      log.warn({ err: error, jobId: job?.data.id, queue }, 'a dispatch was not handled'),
    );
    workers.push(worker);
    await worker.waitUntilReady();
  }
  await deps.toolbox.warmUp((queue, error) =>
    log.error({ err: error, queue }, 'the tools of the queue do not work'),
  );
  const served = queues.map(async (queue) => ({
    queue,
    lacks: await deps.toolbox.lacksOf(queue).catch(() => []),
  }));
  presence.use(announceWorker(redis, await Promise.all(served), createId()));
  log.info({ queues }, 'serving');
  if (queues.length === 0) log.warn({ named }, 'no operation runs on these queues: there is nothing to do');
  return { queues };
});
