import type { Redis } from 'ioredis';
import { createId } from '../ids.ts';
import type { QueueName } from '../operation.ts';
import { redisPrefix } from '../redis.ts';
import { listSeen, see } from '../seen-lately.ts';

const heartbeatMs = 2_000;
const seenWithinMs = 7_000;
const keptMs = 10 * seenWithinMs;

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
  const heartbeat = () =>
    Promise.all(
      keys.map((key) => see(redis, key, workerId, keptMs)),
      // Redis is away: the next heartbeat tells.
    ).catch(() => undefined);
  void heartbeat();
  const timer = setInterval(() => void heartbeat(), heartbeatMs);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await Promise.all(keys.map((key) => redis.zrem(key, workerId))).catch(() => undefined);
    },
  };
}

const sandboxKeyOf = (state: 'on' | 'off') => `${redisPrefix}:sandboxes:${state}`;

/** Tells how this process's Chromium runs. @param isSandboxed null while none runs. */
export function announceSandbox(redis: Redis, isSandboxed: () => boolean | null): AsyncDisposable {
  const id = createId();
  const heartbeat = () => {
    const isOn = isSandboxed();
    if (isOn === null) return;
    // Redis is away: the next heartbeat tells.
    see(redis, sandboxKeyOf(isOn ? 'on' : 'off'), id, keptMs).catch(() => undefined);
  };
  const timer = setInterval(heartbeat, heartbeatMs);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
    },
  };
}

const countSeen = async (redis: Redis, key: string) => (await listSeen(redis, key, seenWithinMs)).length;

/** `off` where any Chromium of the last seconds ran without; null where none ran. */
export async function readSandbox(redis: Redis): Promise<'on' | 'off' | null> {
  if ((await countSeen(redis, sandboxKeyOf('off'))) > 0) return 'off';
  return (await countSeen(redis, sandboxKeyOf('on'))) > 0 ? 'on' : null;
}

/** Worker processes of the queue that were seen in the last seconds; those that lack a program, where one is named. */
export async function countWorkers(redis: Redis, queue: QueueName, lacked?: string): Promise<number> {
  return await countSeen(redis, keyOf(queue, lacked));
}
