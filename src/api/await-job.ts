import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../shared/errors.ts';
import { isDatabaseAway } from '../shared/db/client.ts';
import type { AcceptedJob } from './accept-job.ts';
import type { ApiDeps } from './deps.ts';
import type { FoundJob } from './find-job.ts';
import { isLive } from './presenter.ts';
import type { Slot } from './user-gate.ts';

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

/** An `untold` job that has not ended by then is brought to the disk, so that its client may be told of it. */
const keptAfterMs = 500;
/** A Postgres that is away may be back by then: it restarts within seconds. */
const keepsTryingMs = 10_000;

const forgotten = () =>
  new AppError(
    'unavailable',
    'The database failed before the job was on its disk, so nothing was promised. Send the request again.',
    { retryAfterSeconds: 1 },
  );

/**
 * Listens for the ends of jobs from before they are accepted, so that none is missed.
 * @param waitMs at most.
 */
export function listenForEnd(
  { completions, findJob, hasEnded, keepJob }: Deps & Pick<ApiDeps, 'keepJob'>,
  waitMs: number,
  signal: AbortSignal,
) {
  const waiting = new Map<string, Promise<FoundJob | null>>();

  /** The job if it ends soon; else null, once its row is on the disk. @throws AppError `unavailable` */
  async function untilKept(id: string): Promise<FoundJob | null> {
    const { promise: isLong, resolve } = Promise.withResolvers<'long'>();
    const timer = setTimeout(resolve, keptAfterMs, 'long');
    const told = await Promise.race([waiting.get(id), isLong]).finally(() => clearTimeout(timer));
    if (told === 'long') return await kept(id);
    if (told) return told;
    // That it has ended, perhaps, without its result. Who sees an end sees it on the disk.
    const row = await findJob(id);
    return row === undefined || isLive(row) ? await kept(id) : row;
  }

  async function kept(id: string): Promise<null> {
    if (await keepJob(id)) return null;
    throw forgotten();
  }

  /** Asks again while Postgres is away. */
  async function untilKeptOrAway(id: string, withdraw: () => Promise<void>): Promise<FoundJob | null> {
    const giveUpAt = performance.now() + Math.min(waitMs, keepsTryingMs);
    for (;;) {
      try {
        return await untilKept(id);
      } catch (error) {
        if (!isDatabaseAway(error) || performance.now() > giveUpAt) {
          await withdraw();
          throw error;
        }
        await sleep(keptAfterMs);
      }
    }
  }

  return {
    onId: (id: string) => void waiting.set(id, completions.waitFor(id, waitMs, signal)),
    /**
     * The job as it is when it has ended, or when the time is over.
     * @param pause as of a `Slot`.
     * @param onKept called once a job that could be withdrawn will be there whatever fails.
     * @throws AppError `not_found`, `unavailable`
     */
    async answered(
      { id, joined, withdraw }: AcceptedJob,
      pause: Slot['pause'],
      onKept: () => void = () => undefined,
    ): Promise<FoundJob> {
      async function untilEnded(): Promise<FoundJob | null | undefined> {
        const soon = withdraw === null ? null : await untilKeptOrAway(id, withdraw);
        if (withdraw !== null) onKept();
        return soon ?? (await waiting.get(id));
      }
      const told = joined && (await hasEnded(id)) ? null : await pause(untilEnded);
      const row = told ?? (await findJob(id));
      if (row === undefined)
        throw new AppError('not_found', 'The job was deleted while the request waited for it.');
      return row;
    },
  };
}
