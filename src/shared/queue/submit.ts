import type { Logger } from 'pino';
import { groupCommit } from '../group-commit.ts';
import type { Db } from '../db/client.ts';
import { type Inserted, insertJobs, type NewJob, withdrawJob } from '../db/job-insert.ts';
import type { Doorbell } from './doorbell.ts';

/**
 * Promises a job: from the commit on it is kept; a ring that fails is made good by the reconciler.
 * @param admitted what it needs besides, which may still be asked. Where it rejects, the job is taken back, and
 * the reason is thrown.
 * @returns `full` where its user is at the bound of pending jobs; `taken` where an earlier job answers it.
 */
export type Submit = (job: NewJob, admitted: Promise<unknown>) => Promise<Inserted['outcome']>;

export interface SubmitOptions {
  db: Db;
  doorbell: Doorbell;
  log: Logger;
  pendingBound: number;
}

export function createSubmit({ db, doorbell, log, pendingBound }: SubmitOptions): Submit {
  const insert = groupCommit((jobs: readonly NewJob[]) => insertJobs(db, jobs, pendingBound));

  async function takeBack(id: string): Promise<void> {
    // Nobody was promised it: where even this fails, it runs for nobody.
    await withdrawJob(db, id).catch((error: unknown) =>
      log.warn({ err: error, jobId: id }, 'a job that was not admitted could not be taken back'),
    );
  }

  return async (job, admitted) => {
    const [inserting, admission] = await Promise.allSettled([insert(job), admitted]);
    if (admission.status === 'rejected') {
      if (inserting.status === 'rejected' || inserting.value.outcome === 'inserted')
        await takeBack(job.row.id);
      throw admission.reason;
    }
    if (inserting.status === 'rejected') throw inserting.reason;
    const inserted = inserting.value;
    if (inserted.outcome === 'inserted' && inserted.ring !== null) {
      await doorbell
        .ring([inserted.ring])
        .catch((error: unknown) => log.warn({ err: error, jobId: job.row.id }, 'a ring was lost'));
    }
    return inserted.outcome;
  };
}
