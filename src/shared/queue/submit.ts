import type { Logger } from 'pino';
import { groupCommit } from '../group-commit.ts';
import type { Db } from '../db/client.ts';
import { insertJobs } from '../db/jobs.ts';
import type { NewJobRow } from '../db/tables.ts';
import type { Doorbell } from './doorbell.ts';

/**
 * Promises a job: from the commit on it is kept; a ring that fails is made good by the reconciler.
 * @returns false where the row was refused: its user is at the bound of pending jobs, or its idempotency key is
 * taken.
 */
export type Submit = (row: NewJobRow) => Promise<boolean>;

export interface SubmitOptions {
  db: Db;
  doorbell: Doorbell;
  log: Logger;
  pendingBound: number;
}

export function createSubmit({ db, doorbell, log, pendingBound }: SubmitOptions): Submit {
  const insert = groupCommit((rows: readonly NewJobRow[]) => insertJobs(db, rows, pendingBound));
  return async (row) => {
    const inserted = await insert(row);
    if (inserted.outcome === 'refused') return false;
    if (inserted.ring !== null) {
      await doorbell
        .ring([inserted.ring])
        .catch((error: unknown) => log.warn({ err: error, jobId: row.id }, 'a ring was lost'));
    }
    return true;
  };
}
