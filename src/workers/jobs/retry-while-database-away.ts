import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { isDatabaseAway } from '../../shared/db/client.ts';
import { raiseStorageAlarm } from '../../shared/jobs/storage-alarm.ts';

/** Between two attempts. */
const askAgainMs = 250;

/**
 * Waits for a database that is away, as long as it takes: what a job has come to is not lost for that, nor done
 * twice. Whether it still counts by then, the job's lease says.
 */
export type RetryWhileDatabaseAway = <T>(attempt: () => Promise<T>) => Promise<T>;

export function createDatabaseRetry({ redis, log }: { redis: Redis; log: Logger }): RetryWhileDatabaseAway {
  return async (attempt) => {
    for (;;) {
      try {
        return await attempt();
      } catch (error) {
        if (!isDatabaseAway(error)) throw error;
        log.warn({ err: error }, 'the database is away; a job asks it again');
        await raiseStorageAlarm(redis).catch(() => undefined);
        await sleep(askAgainMs);
      }
    }
  };
}
