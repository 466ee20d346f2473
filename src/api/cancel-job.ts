import type { ShownJobRow } from '../shared/jobs/find-jobs.ts';
import { cancelJob } from '../shared/jobs/transitions/cancel.ts';
import { keptForMs } from '../shared/jobs/kept-for.ts';
import { takeBacklog } from '../shared/jobs/backlog.ts';
import type { ApiDeps } from './deps.ts';

/**
 * Cancels a job that has not ended, and dispatches the next jobs of its user.
 * @returns whether there was anything to cancel.
 */
export async function cancelLiveJob(
  { jobsDb, dispatcher, announcer, log, resultTtlMs }: ApiDeps,
  row: ShownJobRow,
): Promise<boolean> {
  const { canceled, parent } = await cancelJob(jobsDb, row.id, keptForMs(row, resultTtlMs));
  if (canceled.length === 0) return false;
  announcer.canceled(canceled);
  // The rows say it already; whoever misses this finds out by its next poll.
  const next = await takeBacklog(jobsDb, [row.user_id]);
  await dispatcher
    .dispatch(parent === null ? next : [parent, ...next])
    .catch((error: unknown) => log.warn({ err: error, jobId: row.id }, 'a dispatch was lost'));
  return true;
}
