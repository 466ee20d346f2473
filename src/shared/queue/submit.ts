import type { Logger } from 'pino';
import { groupCommit } from '../group-commit.ts';
import type { Db } from '../db/client.ts';
import { type Inserted, insertJobs, type NewJob } from '../db/job-insert.ts';
import type { Doorbell } from './doorbell.ts';

/**
 * Promises a job: from the commit on it is kept; a ring that fails is made good by the reconciler.
 * @returns `full` where its user is at the bound of pending jobs; `taken` where an earlier job answers it.
 */
export type Submit = (job: NewJob) => Promise<Inserted['outcome']>;

export interface SubmitOptions {
  db: Db;
  doorbell: Doorbell;
  log: Logger;
  pendingBound: number;
}

export function createSubmit({ db, doorbell, log, pendingBound }: SubmitOptions): Submit {
  const insert = groupCommit((jobs: readonly NewJob[]) => insertJobs(db, jobs, pendingBound));
  return async (job) => {
    const inserted = await insert(job);
    if (inserted.outcome === 'inserted' && inserted.ring !== null) {
      await doorbell
        .ring([inserted.ring])
        .catch((error: unknown) => log.warn({ err: error, jobId: job.row.id }, 'a ring was lost'));
    }
    return inserted.outcome;
  };
}
