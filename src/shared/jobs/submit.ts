import type { Logger } from 'pino';
import { batchWrite } from '../batch-write.ts';
import { type Db, isDatabaseAway } from '../db/client.ts';
import { type Inserted, insertJobs, type NewJob } from './transitions/accept.ts';
import { changeOf } from './transitions/write-events.ts';
import { takeBacklog } from './backlog.ts';
import type { Announcer } from './announcer.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { Withdrawal } from './withdrawal.ts';

/**
 * Promises a job: from the commit on it is kept, but for one that is `untold`; a dispatch that fails is made good by
 * the reconciler. Where Postgres does not answer, nothing is promised, and a row that is there all the same is
 * withdrawn; but not one that others can join, by its Idempotency-Key or as the same GET: they may have been promised
 * it, as a repetition of the request will be.
 * @param admitted what it needs besides, which may still be asked, of a row that nobody can join. Where it rejects,
 * the row is withdrawn, and the reason is thrown; the end of another job may have dispatched it meanwhile.
 * @returns `full` where its user is at the bound of pending jobs; `taken` where an earlier job answers it.
 */
export type Submit = (job: NewJob, admitted: Promise<unknown>) => Promise<Inserted['outcome']>;

export interface SubmitOptions {
  db: Db;
  dispatcher: Dispatcher;
  withdrawal: Withdrawal;
  announcer: Announcer;
  log: Logger;
  pendingBound: number;
}

export function createSubmit(options: SubmitOptions): Submit {
  const { db, dispatcher, withdrawal, announcer, log, pendingBound } = options;
  const insert = batchWrite((jobs: readonly NewJob[]) => insertJobs(db, jobs, pendingBound));

  async function dispatch(userId: string, inserted: Inserted & { outcome: 'inserted' }): Promise<void> {
    if (inserted.dispatch !== null) await dispatcher.dispatch([inserted.dispatch]);
    else if (inserted.behindBacklog) await dispatcher.dispatch(await takeBacklog(db, [userId]));
  }

  return async (job, admitted) => {
    const { row } = job;
    const [inserting, admission] = await Promise.allSettled([insert(job), admitted]);
    if (inserting.status === 'rejected') {
      const canBeJoined = row.request_hash !== null;
      if (isDatabaseAway(inserting.reason) && !canBeJoined) withdrawal.withdrawOnceInserted(row.id);
      throw admission.status === 'rejected' ? admission.reason : inserting.reason;
    }
    const inserted = inserting.value;
    if (admission.status === 'rejected') {
      if (inserted.outcome === 'inserted') await withdrawal.withdraw(row.id);
      throw admission.reason;
    }
    if (inserted.outcome === 'inserted') {
      announcer.changed([changeOf(row)]);
      await dispatch(row.user_id, inserted).catch((error: unknown) =>
        log.warn({ err: error, jobId: row.id }, 'a dispatch was lost'),
      );
    }
    return inserted.outcome;
  };
}
