import type { Logger } from 'pino';
import { groupCommit } from '../group-commit.ts';
import { type Db, isDatabaseAway } from '../db/client.ts';
import { type Inserted, insertJobs, type NewJob } from './transitions/accept.ts';
import { changeOf } from './transitions/write-events.ts';
import { takeTurns } from './turns.ts';
import type { Announcer } from './announcer.ts';
import type { Doorbell } from './doorbell.ts';
import type { TakeBack } from './take-back.ts';

/**
 * Promises a job: from the commit on it is kept; a ring that fails is made good by the reconciler. Where Postgres
 * does not answer, nothing is promised, and a row that is there all the same is taken back; but not one that others
 * can join, by its Idempotency-Key or as the same GET: they may have been promised it, as a repetition of the request
 * will be.
 * @param admitted what it needs besides, which may still be asked, of a row that nobody can join. Where it rejects,
 * the row is taken back, and the reason is thrown; the end of another job may have rung it meanwhile.
 * @returns `full` where its user is at the bound of pending jobs; `taken` where an earlier job answers it.
 */
export type Submit = (job: NewJob, admitted: Promise<unknown>) => Promise<Inserted['outcome']>;

export interface SubmitOptions {
  db: Db;
  doorbell: Doorbell;
  takeBack: TakeBack;
  announcer: Announcer;
  log: Logger;
  pendingBound: number;
}

export function createSubmit(options: SubmitOptions): Submit {
  const { db, doorbell, takeBack, announcer, log, pendingBound } = options;
  const insert = groupCommit((jobs: readonly NewJob[]) => insertJobs(db, jobs, pendingBound));

  async function ring(userId: string, inserted: Inserted & { outcome: 'inserted' }): Promise<void> {
    if (inserted.ring !== null) await doorbell.ring([inserted.ring]);
    else if (inserted.behindLine) await doorbell.ring(await takeTurns(db, [userId]));
  }

  return async ({ row, keyLimits }, admitted) => {
    const [inserting, admission] = await Promise.allSettled([insert({ row, keyLimits }), admitted]);
    if (inserting.status === 'rejected') {
      const canBeJoined = row.request_hash !== null;
      if (isDatabaseAway(inserting.reason) && !canBeJoined) takeBack.takeBackWhenItComes(row.id);
      throw admission.status === 'rejected' ? admission.reason : inserting.reason;
    }
    const inserted = inserting.value;
    if (admission.status === 'rejected') {
      if (inserted.outcome === 'inserted') await takeBack.takeBack(row.id);
      throw admission.reason;
    }
    if (inserted.outcome === 'inserted') {
      announcer.changed([changeOf(row)]);
      await ring(row.user_id, inserted).catch((error: unknown) =>
        log.warn({ err: error, jobId: row.id }, 'a ring was lost'),
      );
    }
    return inserted.outcome;
  };
}
