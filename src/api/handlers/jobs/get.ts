import { getJob } from '../../../shared/contracts/jobs/get.ts';
import { defineHandler, JobAnswer } from '../../handler.ts';
import { findOwnJob } from '../../own-job.ts';
import { tellJob } from '../../stored-text.ts';

export default defineHandler(getJob, async ({ input, principal, deps, presenter, origin, awaitEnd }) => {
  const row = await awaitEnd(await findOwnJob(deps, principal, input.id));
  const { job, text } = await tellJob(presenter, row, origin);
  return new JobAnswer(row, job, text);
});
