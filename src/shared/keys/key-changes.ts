import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { keepSubscribed, redisPrefix } from '../redis.ts';

/** Something about a key has changed that open connections must hear of. Requests ask Postgres each time. */
const channel = `${redisPrefix}:keys`;

/** A hint, and best effort: whoever misses it finds out by a poll. */
export function announceKeyChange(redis: Redis): void {
  redis.publish(channel, '').catch(() => undefined);
}

export function listenForKeyChanges(subscriber: Redis, log: Logger, onChanged: () => void): void {
  subscriber.on('message', (from: string) => {
    if (from === channel) onChanged();
  });
  keepSubscribed(subscriber, [channel], log);
}
