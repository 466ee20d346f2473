import { AppError } from '../shared/errors.ts';
import type { AcceptedJob } from './accept-job.ts';
import type { ApiDeps } from './deps.ts';
import type { FoundJob } from './find-job.ts';
import { isLive } from './presenter.ts';
import type { Turn } from './user-gate.ts';

type Deps = Pick<ApiDeps, 'completions' | 'findJob' | 'hasEnded'>;

/** Waits `waitMs` at most for the end of a job that may be under way. */
export async function awaitJob(
  { completions, findJob, hasEnded }: Deps,
  row: FoundJob,
  waitMs: number,
  signal: AbortSignal,
): Promise<FoundJob> {
  if (!isLive(row) || waitMs === 0) return row;
  const known = new AbortController();
  const told = completions.waitFor(row.id, waitMs, AbortSignal.any([signal, known.signal]));
  // It may have ended before anybody listened.
  if (await hasEnded(row.id)) known.abort();
  return (await told) ?? (await findJob(row.id)) ?? row;
}

/**
 * Listens for the ends of jobs from before they are accepted, so that none is missed.
 * @param waitMs at most.
 */
export function listenForEnd({ completions, findJob, hasEnded }: Deps, waitMs: number, signal: AbortSignal) {
  const waiting = new Map<string, Promise<FoundJob | null>>();
  return {
    onId: (id: string) => void waiting.set(id, completions.waitFor(id, waitMs, signal)),
    /**
     * The job as it is when it has ended, or when the time is over.
     * @param pause as of a `Turn`.
     * @throws AppError `not_found`
     */
    async answered({ id, joined }: AcceptedJob, pause: Turn['pause']): Promise<FoundJob> {
      const told = joined && (await hasEnded(id)) ? null : await pause(async () => await waiting.get(id));
      const row = told ?? (await findJob(id));
      if (row === undefined) throw new AppError('not_found', 'The job was deleted while it was waited for.');
      return row;
    },
  };
}
