import { getJob } from '../../../shared/contracts/jobs/get.ts';
import { defineHandler } from '../../handler.ts';
import { getOwnJob } from '../../own-job.ts';

export default defineHandler(getJob, async ({ input, principal, deps, presenter, origin }) =>
  presenter.present(await getOwnJob(deps, principal, input.id), origin),
);
