import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import type { Db } from '../db/client.ts';
import { findEndedIds, type JobWithResult } from './find-jobs.ts';
import { keepSubscribed } from '../redis.ts';
import { channels } from './announcer.ts';

const idLength = 36;

function readAnnounced(message: string): JobWithResult {
  type Told = Omit<JobWithResult, 'result'> & { result?: string };
  const { result, ...job } = JSON.parse(message) as Told;
  const date = (text: Date | null) => (text === null ? null : new Date(text));
  return {
    ...job,
    created_at: new Date(job.created_at),
    started_at: date(job.started_at),
    finished_at: date(job.finished_at),
    expires_at: date(job.expires_at),
    result: result === undefined ? null : Buffer.from(result),
  };
}

/** Waiting for jobs to end: one subscription a process, and a slow poll of the rows behind it. */
export interface CompletionWaiter extends AsyncDisposable {
  /**
   * Until the job has ended, `timeoutMs` are over or `signal` aborts.
   * @returns the ended job where its announcement told it; null says nothing, the row must be looked up.
   */
  waitFor(id: string, timeoutMs: number, signal?: AbortSignal): Promise<JobWithResult | null>;
  /** Lets all who wait, now or later, go on at once, as if their time were over. */
  stopWaiting(): void;
}

export interface CompletionWaiterOptions {
  /** A connection of its own. */
  subscriber: Redis;
  db: Db;
  log: Logger;
  pollMs?: number;
}

export function createCompletionWaiter({
  subscriber,
  db,
  log,
  pollMs = 1_000,
}: CompletionWaiterOptions): CompletionWaiter {
  const waiters = new Map<string, Set<(job: JobWithResult | null) => void>>();

  function wake(id: string, message?: string): void {
    const own = waiters.get(id);
    if (own === undefined) return;
    const job = message === undefined ? null : readAnnounced(message);
    for (const resolve of own) resolve(job);
  }
  subscriber.on('message', (channel: string, message: string) => {
    if (channel === channels.results) wake(message.slice(0, idLength), message.slice(idLength));
    else if (channel === channels.ended) message.split(' ').forEach((id) => wake(id));
  });
  keepSubscribed(subscriber, [channels.ended, channels.results], log);

  let polling = false;
  const poll = setInterval(() => {
    if (polling || waiters.size === 0) return;
    polling = true;
    findEndedIds(db, [...waiters.keys()])
      .then((ids) => ids.forEach((id) => wake(id)))
      // Postgres is away: the next poll asks again.
      .catch(() => undefined)
      .finally(() => {
        polling = false;
      });
  }, pollMs);

  let stopped = false;
  const giveUps = new Set<() => void>();

  return {
    stopWaiting() {
      stopped = true;
      for (const giveUp of giveUps) giveUp();
    },
    async waitFor(id, timeoutMs, signal) {
      if (timeoutMs <= 0 || stopped || signal?.aborted) return null;
      const { promise, resolve } = Promise.withResolvers<JobWithResult | null>();
      const onAbort = () => resolve(null);
      const timer = setTimeout(onAbort, timeoutMs);
      const own = waiters.get(id) ?? new Set();
      waiters.set(id, own.add(resolve));
      giveUps.add(onAbort);
      signal?.addEventListener('abort', onAbort, { once: true });
      try {
        return await promise;
      } finally {
        clearTimeout(timer);
        giveUps.delete(onAbort);
        signal?.removeEventListener('abort', onAbort);
        own.delete(resolve);
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
