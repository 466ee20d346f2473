import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { keepSubscribed, redisPrefix } from '../redis.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { JobWithResult } from './find-jobs.ts';
import type { JobChange, JobEnded } from './transitions/write-events.ts';

/** Channels of Redis. What they say is a hint: whoever misses it finds the same in Postgres. */
export const channels = {
  /** `user:job` pairs with new events. */
  events: `${redisPrefix}:events`,
  /** Ids of jobs that have ended. */
  ended: `${redisPrefix}:ended`,
  /** A job that has ended, with a small result: its id and its row as JSON. */
  results: `${redisPrefix}:results`,
  /** Ids of jobs that whoever runs them must leave. */
  canceled: `${redisPrefix}:canceled`,
} as const;

/**
 * Tells the other processes of what transitions have written: the one place from which jobs are announced, and their
 * ends counted. Best effort; nothing here throws or is to be waited for.
 */
export interface Announcer {
  /** There are new events of these jobs. */
  changed(jobs: readonly JobChange[]): void;
  /** They have ended. */
  ended(jobs: readonly JobEnded[]): void;
  /** As `ended`, with the job itself where it is small, which spares those who wait a query for its row. */
  endedAs(job: JobWithResult): void;
  /** They were canceled: as `ended`, and whoever runs them stops. */
  canceled(jobs: readonly JobEnded[]): void;
}

/** What travels with an announcement; a larger one is looked up by who waits for it. */
const announcedCharacters = 8 * 1024;
/** Hints of new events are gathered for this long: readers need to know that there is something, not how often. */
const gatherMs = 50;

export function createAnnouncer(redis: Redis, log: Logger, metrics: Pick<Metrics, 'jobs'>): Announcer {
  const gathered = new Set<string>();

  function publish(channel: string, message: string): void {
    redis
      .publish(channel, message)
      .catch((error: unknown) => log.warn({ err: error, channel }, 'a job was not announced'));
  }

  function changed(jobs: readonly JobChange[]): void {
    if (jobs.length > 0 && gathered.size === 0) {
      setTimeout(() => {
        publish(channels.events, [...gathered].join(' '));
        gathered.clear();
      }, gatherMs);
    }
    for (const { userId, id } of jobs) gathered.add(`${userId}:${id}`);
  }

  function count({ operation, status, code }: Omit<JobEnded, keyof JobChange>): void {
    metrics.jobs.inc({ operation, status, code: code ?? '' });
  }

  function ended(jobs: readonly JobEnded[]): void {
    if (jobs.length === 0) return;
    jobs.forEach(count);
    publish(channels.ended, jobs.map(({ id }) => id).join(' '));
    changed(jobs);
  }

  return {
    changed,
    ended,
    endedAs(job) {
      const { id, user_id: userId, operation, status, error } = job;
      const end = { id, userId, operation, status, code: error?.code ?? null };
      const isSmall = (job.result?.byteLength ?? 0) <= announcedCharacters;
      const message = isSmall ? JSON.stringify({ ...job, result: job.result?.toString() }) : '';
      if (message === '' || message.length > announcedCharacters) return ended([end]);
      publish(channels.results, id + message);
      count(end);
      changed([end]);
    },
    canceled(jobs) {
      if (jobs.length === 0) return;
      publish(channels.canceled, jobs.map(({ id }) => id).join(' '));
      ended(jobs);
    },
  };
}

/** Calls `onChanged` with jobs that have new events (see events.ts). */
export function listenForChanges(
  subscriber: Redis,
  log: Logger,
  onChanged: (jobs: readonly JobChange[]) => void,
): void {
  subscriber.on('message', (channel: string, message: string) => {
    if (channel !== channels.events) return;
    onChanged(
      message.split(' ').map((pair) => {
        const [userId = '', id = ''] = pair.split(':');
        return { userId, id };
      }),
    );
  });
  keepSubscribed(subscriber, [channels.events], log);
}

/** Calls `onCanceled` for each job that is announced as canceled. */
export function listenForCancellations(
  subscriber: Redis,
  log: Logger,
  onCanceled: (id: string) => void,
): void {
  subscriber.on('message', (channel: string, message: string) => {
    if (channel === channels.canceled) message.split(' ').forEach(onCanceled);
  });
  keepSubscribed(subscriber, [channels.canceled], log);
}
