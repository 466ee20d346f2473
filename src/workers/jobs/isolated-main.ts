/** The program of isolated-runner.ts: runs the one row that its first argument names, under the lease of its second, and ends. */
import { readWorkerConfig } from '../../shared/config.ts';
import { queueNames } from '../../shared/operation.ts';
import { runProcess } from '../../shared/process.ts';
import { createWorkerDeps } from '../deps.ts';
import { createProcessor } from './processor.ts';
import { startWatchdog } from './watchdog.ts';

await runProcess(async (lifetime) => {
  const [id = '', token = '', ...names] = process.argv.slice(2);
  const queues = queueNames.filter((name) => names.includes(name));
  const config = readWorkerConfig();
  lifetime.use(startWatchdog(config.JOB_LEASE_MS));
  const deps = lifetime.use(await createWorkerDeps(config, queues));
  const processor = lifetime.use(
    createProcessor({ ...deps, db: deps.jobsDb, leaseMs: config.JOB_LEASE_MS, workerId: null }),
  );
  const run = processor
    .process({ id, isolated: true, token })
    .catch((error: unknown) => deps.log.warn({ err: error, jobId: id }, 'a dispatch was not handled'));
  lifetime.defer(() => processor.stop(run));
  void run.then(() => {
    if (process.connected) process.disconnect();
  });
  return { id };
});
