import type { Redis } from 'ioredis';
import type { QueueName } from '../operation.ts';
import { redisPrefix } from '../redis.ts';

const beatMs = 2_000;
const seenWithinMs = 7_000;

const keyOf = (queue: QueueName) => `${redisPrefix}:workers:${queue}`;

/** Tells that this process serves the queues, until disposed. */
export function announceWorker(
  redis: Redis,
  queues: readonly QueueName[],
  workerId: string,
): AsyncDisposable {
  const beat = () =>
    Promise.all(
      queues.map((queue) =>
        redis
          .multi()
          .zadd(keyOf(queue), Date.now(), workerId)
          .zremrangebyscore(keyOf(queue), 0, Date.now() - 10 * seenWithinMs)
          .exec(),
      ),
      // Redis is away: the next beat tells.
    ).catch(() => undefined);
  void beat();
  const timer = setInterval(() => void beat(), beatMs);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await Promise.all(queues.map((queue) => redis.zrem(keyOf(queue), workerId))).catch(() => undefined);
    },
  };
}

/** Worker processes of the queue that were seen in the last seconds. */
export async function countWorkers(redis: Redis, queue: QueueName): Promise<number> {
  return await redis.zcount(keyOf(queue), Date.now() - seenWithinMs, '+inf');
}
