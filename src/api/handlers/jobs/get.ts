import { getJob } from '../../../shared/contracts/jobs/get.ts';
import { defineHandler, JobAnswer } from '../../handler.ts';
import { getOwnJob } from '../../own-job.ts';

export default defineHandler(getJob, async ({ input, principal, deps, presenter, origin }) => {
  const row = await getOwnJob(deps, principal, input.id);
  return new JobAnswer(row, presenter.present(row, origin));
});
