import { setTimeout as sleep } from 'node:timers/promises';
import { defineHandler } from '../../../../../src/workers/handler.ts';
import { steps } from '../../contracts/test/steps.ts';

/** By job; outlives the runs of a job, as a side effect does. */
const takenOf = new Map<string, number>();

export default defineHandler(steps, async ({ count, ms }, job) => {
  for (let n = 0; n < count; n++) {
    await job.step(`${n}`, async () => {
      takenOf.set(job.jobId, (takenOf.get(job.jobId) ?? 0) + 1);
      await sleep(ms, undefined, { signal: job.signal });
    });
    await job.progress(n + 1, count);
  }
  return { taken: takenOf.get(job.jobId) ?? 0 };
});
