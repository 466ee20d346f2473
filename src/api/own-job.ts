import type { JobWithResult } from '../shared/jobs/find-jobs.ts';
import { AppError } from '../shared/errors.ts';
import { isId } from '../shared/ids.ts';
import type { ApiDeps } from './deps.ts';
import type { Principal } from './http/context.ts';

/** @throws AppError `not_found` for another user's job as for none: an id tells nothing. */
export async function getOwnJob(
  deps: ApiDeps,
  { userId }: Pick<Principal, 'userId'>,
  id: string,
): Promise<JobWithResult> {
  const row = isId(id) ? await deps.findJob(id) : undefined;
  if (row?.user_id !== userId) {
    throw new AppError(
      'not_found',
      'There is no job with this id. Check the id, and that the key belongs to the user who started it.',
    );
  }
  return row;
}
