import type { JobWithResult } from '../shared/jobs/find-jobs.ts';
import { type FoundJob, loadResult } from './find-job.ts';
import { AppError } from '../shared/errors.ts';
import { isId } from '../shared/ids.ts';
import type { ApiDeps } from './deps.ts';
import type { Principal } from './http/context.ts';

/**
 * A large result is not read.
 * @throws AppError `not_found` for another user's job as for none: an id tells nothing.
 */
export async function findOwnJob(
  deps: ApiDeps,
  { userId }: Pick<Principal, 'userId'>,
  id: string,
): Promise<FoundJob> {
  // Some clients write ids in capitals.
  const row = isId(id) ? await deps.findJob(id.toLowerCase()) : undefined;
  if (row?.user_id !== userId) {
    throw new AppError(
      'not_found',
      'There is no job with this id. Check the id, and that the key belongs to the user who started it.',
    );
  }
  return row;
}

/** With its result in memory. @throws AppError `not_found` */
export async function getOwnJob(
  deps: ApiDeps,
  principal: Pick<Principal, 'userId'>,
  id: string,
): Promise<JobWithResult> {
  return await loadResult(await findOwnJob(deps, principal, id));
}
