import { batchLoad } from '../shared/batch-load.ts';
import { BlobGone, readChunks } from '../shared/db/blobs.ts';
import type { Db } from '../shared/db/client.ts';
import { findJobsWithResult, type JobWithResult, type ShownJobRow } from '../shared/jobs/find-jobs.ts';
import { createKeyedMutex } from './keyed-mutex.ts';

/** Of one statement: what is no large result may still have a quarter of a megabyte. */
const jobsAtOnce = 16;

/** The text of a result that is read as it is sent: who waits for clients to take it is not to hold it. */
export interface LargeResult {
  sizeBytes: number;
  /** In chunks of a megabyte. @throws BlobGone */
  read(): AsyncIterable<Buffer>;
  /** All of it, once others of the same user are read. @returns null where it is gone. */
  load(): Promise<Buffer | null>;
}

export type FoundJob = ShownJobRow & { result: Buffer | LargeResult | null };

/**
 * Finds jobs with their results. Those asked for together share one query; large results are read each by
 * itself, and whole ones of one user one after the other, so that nobody waits for another's.
 */
export function createFindJob(jobsDb: Db, db: Db): (id: string) => Promise<FoundJob | undefined> {
  const find = batchLoad((ids) => findJobsWithResult(jobsDb, ids), jobsAtOnce);
  const oneAtATime = createKeyedMutex();
  return async (id) => {
    const found = await find(id);
    if (found === undefined) return undefined;
    const { large_result_id: largeId, large_result_bytes: sizeBytes, ...job } = found;
    if (largeId === null) return job;
    const read = () => readChunks(db, largeId, sizeBytes);
    const load = () => oneAtATime(job.user_id, () => loadAll(read()));
    return { ...job, result: { sizeBytes, read, load } };
  };
}

async function loadAll(chunks: AsyncIterable<Buffer>): Promise<Buffer | null> {
  try {
    const read: Buffer[] = [];
    for await (const chunk of chunks) read.push(chunk);
    return Buffer.concat(read);
  } catch (error) {
    if (error instanceof BlobGone) return null;
    throw error;
  }
}

/** With its result in memory, to be parsed. */
export async function loadResult(row: FoundJob): Promise<JobWithResult> {
  const { result } = row;
  return { ...row, result: result === null || Buffer.isBuffer(result) ? result : await result.load() };
}
