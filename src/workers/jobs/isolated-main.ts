/** The program of isolated-runner.ts, for the queues that its arguments name: runs one row after the other, as it is told. */
import { readWorkerConfig } from '../../shared/config.ts';
import type { Lease } from '../../shared/jobs/transitions/lease.ts';
import { queueNames } from '../../shared/operation.ts';
import { runProcess } from '../../shared/process.ts';
import { createWorkerDeps } from '../deps.ts';
import { createProcessor } from './processor.ts';
import { startWatchdog } from './watchdog.ts';

await runProcess(async (lifetime) => {
  const named = new Set(process.argv.slice(2));
  const queues = queueNames.filter((name) => named.has(name));
  const config = readWorkerConfig();
  lifetime.use(startWatchdog(config.JOB_LEASE_MS));
  const deps = lifetime.use(await createWorkerDeps(config, queues));
  const processor = lifetime.use(
    createProcessor({ ...deps, db: deps.jobsDb, leaseMs: config.JOB_LEASE_MS, workerId: null }),
  );
  let running = Promise.resolve();
  lifetime.defer(() => processor.stop(running));
  process.on('message', ({ id, token }: Lease) => {
    running = processor
      .process({ id, isolated: true, token })
      .catch((error: unknown) => deps.log.warn({ err: error, jobId: id }, 'a dispatch was not handled'))
      // Who has gone meanwhile needs no answer.
      .then(() => void process.send?.({ type: 'done' }, () => undefined));
  });
  return { queues };
});
