import { getJob } from '../../../shared/contracts/jobs/get.ts';
import { defineHandler, JobAnswer } from '../../handler.ts';
import { loadResult } from '../../find-job.ts';
import { findOwnJob } from '../../own-job.ts';
import { textOfJob } from '../../stored-text.ts';

export default defineHandler(getJob, async ({ input, principal, deps, presenter, origin, awaitEnd }) => {
  const row = await awaitEnd(await findOwnJob(deps, principal, input.id));
  const json = textOfJob(presenter, row, origin);
  const whole = json === null ? await loadResult(row) : { ...row, result: null };
  return new JobAnswer(row, presenter.present(whole, origin), json);
});
