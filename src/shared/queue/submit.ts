import type { Logger } from 'pino';
import type { Db } from '../db/client.ts';
import { insertJob } from '../db/jobs.ts';
import type { NewJobRow } from '../db/tables.ts';
import type { Doorbell } from './doorbell.ts';

/** From the commit on the job is promised; a ring that fails is made good by the reconciler. */
export async function submit(
  deps: { db: Db; doorbell: Doorbell; log: Logger },
  row: NewJobRow,
): Promise<void> {
  const toRing = await insertJob(deps.db, row);
  if (toRing === null) return;
  await deps.doorbell
    .ring([toRing])
    .catch((error: unknown) => deps.log.warn({ err: error, jobId: row.id }, 'a ring was lost'));
}
