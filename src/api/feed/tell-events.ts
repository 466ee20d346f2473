import type { Db } from '../../shared/db/client.ts';
import type { JobEventKind } from '../../shared/db/tables.ts';
import type { JobEvent } from '../../shared/jobs/events.ts';
import { findJobsWithSmallResult, type JobWithResult } from '../../shared/jobs/find-jobs.ts';
import type { JobPresenter } from '../present-job.ts';
import { FeedMessage } from './messages.ts';

/** A larger result is asked for by the job's id: the same message may go to hundreds of connections. */
export const mostResultBytes = 16 * 1024;

/** An event as clients are told it. */
export interface ToldEvent {
  seq: number;
  userId: string;
  jobId: string;
  /** The same one for all who reach the service by the same origin. */
  messageFor(origin: string): FeedMessage;
}

/** What the row was when the event was written, as far as it still tells. */
function rowAsOf(row: JobWithResult, kind: JobEventKind): JobWithResult {
  const live = { ...row, result: null, error: null, files: null, finished_at: null, expires_at: null };
  switch (kind) {
    case 'accepted':
      return {
        ...live,
        status: 'queued',
        attempts: 0,
        started_at: null,
        progress: null,
        pending_children: 0,
        total_children: 0,
      };
    case 'parked':
      return { ...live, status: row.total_children > 0 ? 'waiting' : 'queued' };
    case 'started':
    case 'progress':
    case 'resumed':
      return { ...live, status: 'running' };
    case 'succeeded':
    case 'failed':
    case 'canceled':
    case 'expired':
    case 'deleted':
      return row;
  }
}

const ends = ['succeeded', 'failed', 'canceled', 'expired'] as const;

function toMessage(
  { seq, kind, jobId }: JobEvent,
  row: JobWithResult | undefined,
  present: (row: JobWithResult) => ReturnType<JobPresenter['present']>,
): FeedMessage {
  if (row === undefined || kind === 'deleted') return new FeedMessage({ type: 'deleted', seq, jobId });
  const job = present(rowAsOf(row, kind));
  // By the event, not by what has become of the job since: each end is told as what it was.
  const status = ends.find((end) => end === kind) ?? job.status;
  return new FeedMessage({ type: 'job', seq, event: kind, job: { ...job, status } });
}

/** Looks the jobs up and makes one message of each event; none where its job is gone and a later event says so. */
export async function tellEvents(
  db: Db,
  presenter: Pick<JobPresenter, 'present'>,
  events: readonly JobEvent[],
): Promise<ToldEvent[]> {
  if (events.length === 0) return [];
  const ids = [...new Set(events.map((event) => event.jobId))];
  const rows = await findJobsWithSmallResult(db, ids, mostResultBytes);
  return events
    .filter(({ kind, jobId }) => kind === 'deleted' || rows.has(jobId))
    .map((event) => {
      const made = new Map<string, FeedMessage>();
      return {
        seq: event.seq,
        userId: event.userId,
        jobId: event.jobId,
        messageFor(origin) {
          const message =
            made.get(origin) ??
            toMessage(event, rows.get(event.jobId), (row) => presenter.present(row, origin));
          made.set(origin, message);
          return message;
        },
      };
    });
}
