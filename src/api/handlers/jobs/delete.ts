import { deleteJob } from '../../../shared/contracts/jobs/delete.ts';
import { changeOf } from '../../../shared/jobs/transitions/write-events.ts';
import { deleteResult } from '../../../shared/jobs/transitions/expire.ts';
import { cancelLiveJob } from '../../cancel-job.ts';
import { defineHandler } from '../../handler.ts';
import { findOwnJob, getOwnJob } from '../../own-job.ts';

export default defineHandler(deleteJob, async ({ input, principal, deps, presenter, origin }) => {
  const row = await findOwnJob(deps, principal, input.id);
  if (!(await cancelLiveJob(deps, row))) {
    await deleteResult(deps.jobsDb, row.id);
    deps.announcer.changed([changeOf(row)]);
  }
  return presenter.present(await getOwnJob(deps, principal, input.id), origin);
});
