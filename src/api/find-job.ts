import { batchLoad } from '../shared/batch-load.ts';
import { readLargeBlob } from '../shared/db/blobs.ts';
import type { Db } from '../shared/db/client.ts';
import { findJobsWithResult, type JobWithResult } from '../shared/jobs/find-jobs.ts';
import { createKeyedMutex } from './keyed-mutex.ts';

/** Of one statement: what is no large result may still have almost a megabyte. */
const jobsAtOnce = 16;

/**
 * Finds jobs with their results. Those asked for together share one visit to Postgres; large results are read each by
 * itself, and those of one user one after the other, so that nobody waits for another's.
 */
export function createFindJob(jobsDb: Db, db: Db): (id: string) => Promise<JobWithResult | undefined> {
  const find = batchLoad((ids) => findJobsWithResult(jobsDb, ids), jobsAtOnce);
  const inTurn = createKeyedMutex();
  return async (id) => {
    const found = await find(id);
    if (found === undefined) return undefined;
    const { large_result_id: largeId, ...job } = found;
    if (largeId === null) return job;
    return { ...job, result: await inTurn(job.user_id, () => readLargeBlob(db, largeId)) };
  };
}
