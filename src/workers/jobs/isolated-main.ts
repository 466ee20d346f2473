/** The program of isolated-runner.ts, for the queues that its arguments name: runs rows as it is told. */
import { createOperationFinder } from '../../shared/catalog.ts';
import { readWorkerConfig } from '../../shared/config.ts';
import type { Lease } from '../../shared/jobs/transitions/lease.ts';
import { queueNames } from '../../shared/operation.ts';
import { runProcess } from '../../shared/process.ts';
import { connectRedis } from '../../shared/redis.ts';
import { createJobDeps, warnOf } from '../job-deps.ts';
import { createLateDispatcher } from './late-dispatcher.ts';
import { type IsolatedMessage, trustAfterMs } from './isolated-runner.ts';
import { createProcessor } from './processor.ts';
import { startWatchdog } from './watchdog.ts';

await runProcess(async (lifetime) => {
  const named = new Set(process.argv.slice(2));
  const queues = queueNames.filter((name) => named.has(name));
  const config = readWorkerConfig();
  lifetime.use(startWatchdog(config.JOB_LEASE_MS));
  // Who has started us has checked Postgres and Redis, reconciles, and deletes what is old.
  const deps = lifetime.use(
    await createJobDeps(config, { catalog: createOperationFinder(config.EXTENSIONS), queues }),
  );
  const connected = async (redis: typeof deps.redis) => {
    await connectRedis(redis, warnOf(deps.log, 'redis'));
    return redis;
  };
  await connected(deps.redis);
  const dispatcher = lifetime.use(createLateDispatcher(() => connected(deps.connect({ forQueues: true }))));
  // Who has gone meanwhile needs no answer.
  const tell = (message: IsolatedMessage) => process.send?.(message, () => undefined);
  const processor = lifetime.use(
    createProcessor({
      ...deps,
      db: deps.jobsDb,
      dispatcher,
      // Longer than the watchdog waits: who has started us settles the leases of a process that was blocked, as it knows whether
      // it had one job or several.
      leaseMs: 4 * config.JOB_LEASE_MS,
      workerId: null,
      onBegin({ token }) {
        tell({ type: 'begun', token });
        setTimeout(() => tell({ type: 'lived', token }), trustAfterMs).unref();
      },
    }),
  );
  const running = new Set<Promise<void>>();
  lifetime.defer(() => processor.stop(Promise.all(running)));
  async function run({ id, token }: Lease): Promise<void> {
    const isOver = await processor.process({ id, isolated: true, token }).catch((error: unknown) => {
      deps.log.warn({ err: error, jobId: id }, 'a dispatch was not handled');
      return false;
    });
    tell({ type: 'done', token, isOver });
  }
  process.on('message', (lease: Lease) => {
    const one = run(lease).finally(() => running.delete(one));
    running.add(one);
  });
  return { queues };
});
