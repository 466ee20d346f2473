import { deleteJob } from '../../../shared/contracts/jobs/delete.ts';
import { cancelJob } from '../../../shared/jobs/transitions/cancel.ts';
import { takeTurns } from '../../../shared/jobs/turns.ts';
import { changeOf } from '../../../shared/jobs/transitions/write-events.ts';
import { deleteResult } from '../../../shared/jobs/transitions/expire.ts';
import { defineHandler } from '../../handler.ts';
import { getOwnJob } from '../../own-job.ts';

export default defineHandler(deleteJob, async ({ input, principal, deps, presenter, origin }) => {
  const { jobsDb, doorbell, announcer, log, resultTtlMs } = deps;
  const row = await getOwnJob(deps, principal, input.id);
  const { canceled, parent } = await cancelJob(jobsDb, row.id, resultTtlMs);
  if (canceled.length > 0) {
    announcer.canceled(canceled);
    // The rows say it already; whoever misses this finds out by the next look.
    const next = await takeTurns(jobsDb, [row.user_id]);
    await doorbell
      .ring(parent === null ? next : [parent, ...next])
      .catch((error: unknown) => log.warn({ err: error, jobId: row.id }, 'a ring was lost'));
  } else {
    await deleteResult(jobsDb, row.id);
    announcer.changed([changeOf(row)]);
  }
  return presenter.present(await getOwnJob(deps, principal, input.id), origin);
});
