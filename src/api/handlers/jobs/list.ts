import { listJobs as contract } from '../../../shared/contracts/jobs/list.ts';
import { listJobs } from '../../../shared/jobs/find-jobs.ts';
import { defineHandler } from '../../handler.ts';

export default defineHandler(contract, async ({ input, principal, deps, presenter, origin }) => {
  const { status, operation, limit, cursor } = input;
  const rows = await listJobs(deps.jobsDb, {
    userId: principal.userId,
    status,
    operation,
    limit: limit + 1,
    before: cursor,
  });
  const page = rows.slice(0, limit);
  return {
    jobs: page.map((row) => presenter.present({ ...row, result: null }, origin)),
    nextCursor: rows.length > limit ? (page.at(-1)?.id ?? null) : null,
  };
});
