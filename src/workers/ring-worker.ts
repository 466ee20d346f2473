import { type ConnectionOptions, type Job, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { QueueName } from '../shared/operation.ts';
import type { Ring } from '../shared/queue/doorbell.ts';
import { redisPrefix } from '../shared/queue/redis.ts';

const askAgainMs = 500;

/** BullMQ's worker, which would ask a Redis that refuses (full, a replica, busy) again without a pause. */
class PatientWorker extends Worker<Ring, void> {
  protected override async moveToActive(token: string, name?: string): Promise<Job<Ring, void>> {
    try {
      return await super.moveToActive(token, name);
    } catch (error) {
      await this.delay(askAgainMs);
      throw error;
    }
  }
}

export interface RingWorkerOptions {
  /** Waits for a Redis that is away. */
  redis: Redis;
  concurrency: number;
  answer: (ring: Ring) => Promise<void>;
}

/** Answers the rings of a queue. */
export function createRingWorker(queue: QueueName, options: RingWorkerOptions): Worker<Ring, void> {
  return new PatientWorker(queue, (job) => options.answer(job.data), {
    connection: options.redis as ConnectionOptions,
    prefix: redisPrefix,
    concurrency: options.concurrency,
    // A ring whose worker died rings again soon. How often does not matter: the row says what is to do.
    lockDuration: 4_000,
    stalledInterval: 2_000,
    maxStalledCount: Number.MAX_SAFE_INTEGER,
    // What could not be answered for want of a connection is tried again as soon.
    runRetryDelay: askAgainMs,
  });
}
