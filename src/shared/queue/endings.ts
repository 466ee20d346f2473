import type { Redis } from 'ioredis';
import type { Db } from '../db/client.ts';
import { findEndedIds } from '../db/jobs.ts';
import { redisPrefix } from './redis.ts';

const endedChannel = `${redisPrefix}:ended`;
const canceledChannel = `${redisPrefix}:canceled`;

/** Tells those who wait that jobs have ended. Best effort; the row is the truth. */
export async function announceEnded(redis: Redis, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await redis.publish(endedChannel, ids.join(' '));
}

/** Tells those who wait, and those who run them, that jobs were canceled. Best effort; the row is the truth. */
export async function announceCanceled(redis: Redis, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const message = ids.join(' ');
  await Promise.all([redis.publish(canceledChannel, message), redis.publish(endedChannel, message)]);
}

/** Calls `onCanceled` for each job that is announced as canceled. */
export function listenForCancellations(subscriber: Redis, onCanceled: (id: string) => void): void {
  subscriber.on('message', (_channel: string, message: string) => message.split(' ').forEach(onCanceled));
  // ioredis subscribes again by itself after a reconnection.
  subscriber.subscribe(canceledChannel).catch(() => undefined);
}

/** Waiting for jobs to end: one subscription a process, and a slow poll of the rows behind it. */
export interface Endings extends AsyncDisposable {
  /** Resolves true once the job has ended, false after `timeoutMs` or when `signal` aborts. */
  waitFor(id: string, timeoutMs: number, signal?: AbortSignal): Promise<boolean>;
}

export interface EndingsOptions {
  /** A connection of its own. */
  subscriber: Redis;
  db: Db;
  pollMs?: number;
}

export function createEndings({ subscriber, db, pollMs = 1_000 }: EndingsOptions): Endings {
  const waiters = new Map<string, Set<() => void>>();

  const wake = (id: string) => {
    for (const resolve of waiters.get(id) ?? []) resolve();
  };
  subscriber.on('message', (_channel: string, message: string) => {
    message.split(' ').forEach(wake);
  });
  // ioredis subscribes again by itself after a reconnection.
  subscriber.subscribe(endedChannel).catch(() => undefined);

  let polling = false;
  const poll = setInterval(() => {
    if (polling || waiters.size === 0) return;
    polling = true;
    findEndedIds(db, [...waiters.keys()])
      .then((ids) => ids.forEach(wake))
      // Postgres is away: the next poll asks again.
      .catch(() => undefined)
      .finally(() => {
        polling = false;
      });
  }, pollMs);

  return {
    async waitFor(id, timeoutMs, signal) {
      if (timeoutMs <= 0 || signal?.aborted) return false;
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const onEnd = () => resolve(true);
      const onAbort = () => resolve(false);
      const timer = setTimeout(onAbort, timeoutMs);
      const own = waiters.get(id) ?? new Set();
      waiters.set(id, own.add(onEnd));
      signal?.addEventListener('abort', onAbort, { once: true });
      try {
        return await promise;
      } finally {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        own.delete(onEnd);
        if (own.size === 0) waiters.delete(id);
      }
    },
    async [Symbol.asyncDispose]() {
      clearInterval(poll);
      for (const id of waiters.keys()) wake(id);
      subscriber.disconnect();
    },
  };
}
