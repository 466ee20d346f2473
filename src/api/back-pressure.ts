import { countFreeSlots, getCompletionRate } from '../shared/jobs/find-jobs.ts';
import { AppError } from '../shared/errors.ts';
import type { QueueName } from '../shared/operation.ts';
import { isStorageDown } from '../shared/jobs/storage-alarm.ts';
import type { ApiDeps } from './deps.ts';

/** Seconds until a few slots are free at the measured rate; a standstill is asked about again soon. */
export function retryAfter(perSecond: number): number {
  const slotsWanted = 10;
  return perSecond === 0 ? 10 : Math.min(60, Math.max(1, Math.ceil(slotsWanted / perSecond)));
}

interface QueueSample {
  at: number;
  seen: Promise<{ free: number; unkept: boolean }>;
  /** Slots that this process has given away and the sample may not have seen. */
  given: number;
}

/**
 * Refuses before anything is accepted or counted. A sample of a queue is at most `freshMs` old. Who is let in calls
 * what it gets when the row is there, or will not be.
 */
export function createBackPressure(deps: ApiDeps, freshMs = 250) {
  const { jobsDb, redis, config, resultTtlMs } = deps;
  const samples = new Map<QueueName, QueueSample>();
  const entering = new Map<QueueName, number>();
  const countEntering = (queue: QueueName, change: number): number => {
    const count = (entering.get(queue) ?? 0) + change;
    entering.set(queue, count);
    return count;
  };

  async function takeSample(queue: QueueName) {
    const [free, unkept] = await Promise.all([
      countFreeSlots(jobsDb, queue, config.QUEUE_BOUND),
      isStorageDown(redis),
    ]);
    return { free, unkept };
  }

  function freshSample(queue: QueueName): QueueSample {
    const known = samples.get(queue);
    if (known !== undefined && performance.now() - known.at <= freshMs) return known;
    const fresh = { at: performance.now(), seen: takeSample(queue), given: countEntering(queue, 0) };
    fresh.seen.catch(() => samples.delete(queue));
    samples.set(queue, fresh);
    return fresh;
  }

  return async (queue: QueueName): Promise<() => void> => {
    const current = freshSample(queue);
    const { free, unkept } = await current.seen;
    if (unkept) {
      throw new AppError(
        'unavailable',
        'Results cannot be stored right now. Nothing was accepted and nothing was counted; try again in a moment.',
      );
    }
    if (current.given < free) {
      current.given++;
      countEntering(queue, 1);
      return () => void countEntering(queue, -1);
    }
    throw new AppError(
      'overloaded',
      `The ${queue} queue is full. Nothing was accepted and nothing was counted; try again later.`,
      { retryAfterSeconds: retryAfter(await getCompletionRate(jobsDb, resultTtlMs, { queue })) },
    );
  };
}
