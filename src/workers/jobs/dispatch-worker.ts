import { setImmediate as nextTick } from 'node:timers/promises';
import { type ConnectionOptions, type Job, Worker, type WorkerOptions } from 'bullmq';
import type { Redis } from 'ioredis';
import type { QueueName } from '../../shared/operation.ts';
import type { Dispatch } from '../../shared/jobs/dispatcher.ts';
import { queuePrefix } from '../../shared/redis.ts';

const askAgainMs = 500;

type QueueOptions = Omit<WorkerOptions, 'connection'> & { connection: Redis };

/**
 * BullMQ's worker, with two differences. It would ask a Redis that refuses (full, a replica, busy) again without a
 * pause. And the mark that wakes waiting workers, which each job that is taken leaves behind for the next, would
 * wake itself once more for nothing, after it has looked for the next job already.
 */
class DispatchWorker extends Worker<Dispatch, void> {
  readonly #redis: Redis;
  #leftMark = false;

  constructor(queue: string, answer: (job: Job<Dispatch, void>) => Promise<void>, options: QueueOptions) {
    super(queue, answer, { ...options, connection: options.connection as ConnectionOptions });
    this.#redis = options.connection;
  }

  protected override async moveToActive(token: string, name?: string): Promise<Job<Dispatch, void>> {
    try {
      if (this.#leftMark) {
        // What the job that was taken asks goes first.
        await nextTick();
        void this.#redis.zrem(this.keys['marker'] ?? '', '0').catch(() => undefined);
      }
      const job = await super.moveToActive(token, name);
      // BullMQ answers undefined where no job waits.
      this.#leftMark = Boolean(job);
      return job;
    } catch (error) {
      await this.delay(askAgainMs);
      throw error;
    }
  }
}

export interface DispatchWorkerOptions {
  /** Waits for a Redis that is away. */
  redis: Redis;
  concurrency: number;
  answer: (dispatch: Dispatch) => Promise<void>;
}

/** Handles the dispatches of a queue. */
export function createDispatchWorker(
  queue: QueueName,
  options: DispatchWorkerOptions,
): Worker<Dispatch, void> {
  return new DispatchWorker(queue, (job) => options.answer(job.data), {
    connection: options.redis,
    prefix: queuePrefix(options.redis, queue),
    concurrency: options.concurrency,
    // A dispatch whose worker died comes again soon. How often does not matter: the row says what is to do.
    lockDuration: 4_000,
    stalledInterval: 2_000,
    maxStalledCount: Number.MAX_SAFE_INTEGER,
    // What could not be answered for want of a connection is tried again as soon.
    runRetryDelay: askAgainMs,
  });
}
