import { deleteJob } from '../../../shared/contracts/jobs/delete.ts';
import { cancelJob } from '../../../shared/jobs/transitions/cancel.ts';
import { takeTurns } from '../../../shared/jobs/turns.ts';
import { deleteResult } from '../../../shared/jobs/transitions/expire.ts';
import { announceCanceled } from '../../../shared/jobs/endings.ts';
import { defineHandler } from '../../handler.ts';
import { getOwnJob } from '../../own-job.ts';

export default defineHandler(deleteJob, async ({ input, principal, deps, presenter, origin }) => {
  const { db, doorbell, redis, log, resultTtlMs } = deps;
  const row = await getOwnJob(deps, principal, input.id);
  const { canceled, parent } = await cancelJob(db, row.id, resultTtlMs);
  if (canceled.length > 0) {
    // The rows say it already; whoever misses this finds out by the next look.
    const next = await takeTurns(db, [row.user_id]);
    await Promise.all([
      announceCanceled(redis, canceled),
      doorbell.ring(parent === null ? next : [parent, ...next]),
    ]).catch((error: unknown) => log.warn({ err: error, jobId: row.id }, 'a cancellation was not announced'));
  } else {
    await deleteResult(db, row.id);
  }
  return presenter.present(await getOwnJob(deps, principal, input.id), origin);
});
