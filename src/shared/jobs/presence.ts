import type { Redis } from 'ioredis';
import { createId } from '../ids.ts';
import type { QueueName } from '../operation.ts';
import { redisPrefix } from '../redis.ts';

const beatMs = 2_000;
const seenWithinMs = 7_000;

const keyOf = (queue: QueueName, lacked?: string) =>
  `${redisPrefix}:workers:${queue}${lacked === undefined ? '' : `:without:${lacked}`}`;

/** A queue that a process serves. */
export interface ServedQueue {
  queue: QueueName;
  /** Variables that name programs which this process has not found, and some of the queue's operations run. */
  lacks: readonly string[];
}

/** Tells that this process serves the queues, until disposed. */
export function announceWorker(
  redis: Redis,
  queues: readonly ServedQueue[],
  workerId: string,
): AsyncDisposable {
  const keys = queues.flatMap(({ queue, lacks }) => [keyOf(queue), ...lacks.map((it) => keyOf(queue, it))]);
  const beat = () =>
    Promise.all(
      keys.map((key) =>
        redis
          .multi()
          .zadd(key, Date.now(), workerId)
          .zremrangebyscore(key, 0, Date.now() - 10 * seenWithinMs)
          .exec(),
      ),
      // Redis is away: the next beat tells.
    ).catch(() => undefined);
  void beat();
  const timer = setInterval(() => void beat(), beatMs);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await Promise.all(keys.map((key) => redis.zrem(key, workerId))).catch(() => undefined);
    },
  };
}

const sandboxKeyOf = (state: 'on' | 'off') => `${redisPrefix}:sandboxes:${state}`;

/** Tells how this process's Chromium runs. @param look null while none runs. */
export function announceSandbox(redis: Redis, look: () => boolean | null): AsyncDisposable {
  const id = createId();
  const beat = () => {
    const isOn = look();
    if (isOn === null) return;
    const now = Date.now();
    redis
      .multi()
      .zadd(sandboxKeyOf(isOn ? 'on' : 'off'), now, id)
      .zremrangebyscore(sandboxKeyOf('on'), 0, now - 10 * seenWithinMs)
      .zremrangebyscore(sandboxKeyOf('off'), 0, now - 10 * seenWithinMs)
      .exec()
      // Redis is away: the next beat tells.
      .catch(() => undefined);
  };
  const timer = setInterval(beat, beatMs);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
    },
  };
}

/** `off` where any Chromium of the last seconds ran without; null where none ran. */
export async function readSandbox(redis: Redis): Promise<'on' | 'off' | null> {
  const since = Date.now() - seenWithinMs;
  if ((await redis.zcount(sandboxKeyOf('off'), since, '+inf')) > 0) return 'off';
  return (await redis.zcount(sandboxKeyOf('on'), since, '+inf')) > 0 ? 'on' : null;
}

/** Worker processes of the queue that were seen in the last seconds; those that lack a program, where one is named. */
export async function countWorkers(redis: Redis, queue: QueueName, lacked?: string): Promise<number> {
  return await redis.zcount(keyOf(queue, lacked), Date.now() - seenWithinMs, '+inf');
}
