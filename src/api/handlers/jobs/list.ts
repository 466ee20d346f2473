import { listJobs as contract } from '../../../shared/contracts/jobs/list.ts';
import { listJobs } from '../../../shared/jobs/find-jobs.ts';
import { defineHandler } from '../../handler.ts';

export default defineHandler(contract, async ({ input, principal, deps, presenter, origin }) => {
  const { status, operation, limit, cursor } = input;
  const page = await listJobs(deps.db, {
    userId: principal.userId,
    status,
    operation,
    limit,
    before: cursor,
  });
  return {
    jobs: page.jobs.map((row) => presenter.present({ ...row, input: null, result: null }, origin)),
    nextCursor: page.next,
  };
});
