import type { z } from 'zod';
import { liveStatuses, type ShownJobRow } from '../shared/jobs/find-jobs.ts';
import type { DataOf, OutputOf, QueuedOperation } from '../shared/operation.ts';
import type { FileVariant } from './links.ts';

export interface PresentedJob<Op extends QueuedOperation> {
  row: ShownJobRow;
  status: ReturnType<typeof clientStatusOf>;
  input: z.output<Op['input']>;
  /** Null until the job has succeeded. */
  output: OutputOf<Op> | null;
  /** Mints a signed link to a file of the job, which lives as long as the result. */
  link(fileName: string, variant?: FileVariant): string;
  /** Mints a signed link that streams what the output names, see tunnel.ts. */
  tunnelLink(expiresAt: Date): string;
}

/** Makes what a client sees from what is stored. */
export interface Presenter<Op extends QueuedOperation = QueuedOperation> {
  operation: Op;
  present(job: PresentedJob<Op>): DataOf<Op>;
}

export function definePresenter<Op extends QueuedOperation>(
  operation: Op,
  present: (job: PresentedJob<Op>) => DataOf<Op>,
): Presenter<Op> {
  return { operation, present };
}

/** It has not ended. */
export const isLive = (row: Pick<ShownJobRow, 'status'>): boolean =>
  liveStatuses.some((status) => status === row.status);

/** A waiting parent is `running`; a result past its time is `expired`, also before the sweep has come by. */
export function clientStatusOf(row: Pick<ShownJobRow, 'status' | 'expires_at'>, now = new Date()) {
  if (row.status === 'waiting') return 'running';
  const ended = row.status === 'succeeded' || row.status === 'failed' || row.status === 'canceled';
  return ended && row.expires_at !== null && row.expires_at <= now ? 'expired' : row.status;
}
