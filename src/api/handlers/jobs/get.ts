import { getJob } from '../../../shared/contracts/jobs/get.ts';
import { defineHandler, JobAnswer } from '../../handler.ts';
import { getOwnJob } from '../../own-job.ts';

export default defineHandler(getJob, async ({ input, principal, deps, presenter, origin, awaitEnd }) => {
  const row = await awaitEnd(await getOwnJob(deps, principal, input.id));
  const result = presenter.bytesOf(row);
  if (result === null) return new JobAnswer(row, presenter.present(row, origin));
  const job = presenter.present({ ...row, result: null }, origin);
  const head = JSON.stringify(job).slice(0, -1);
  const json = Buffer.concat([Buffer.from(`${head},"result":`), result, Buffer.from('}')]);
  return new JobAnswer(row, job, json);
});
