import { type ConnectionOptions, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { suspectCrashes } from './transitions/lease.ts';
import type { Ringable } from './turns.ts';
import { type QueueName, queueNames } from '../operation.ts';
import { redisPrefix } from '../redis.ts';

/** All that a BullMQ job carries: the row in Postgres is the job. */
export interface Ring {
  id: string;
  /** Workers died while they ran the row: it is to be run in a process of its own. */
  alone: boolean;
}

/** Tells workers which rows to look at. A lost ring loses nothing: the reconciler rings again. */
export interface Doorbell extends AsyncDisposable {
  ring(rows: readonly Ringable[]): Promise<void>;
  /** Rings only for rows that Redis does not know (any more). */
  ringMissing(rows: readonly Ringable[]): Promise<void>;
  /** Tells a Redis that has lost its data the settings of the queues again, which BullMQ does at its start only. */
  restoreSettings(): Promise<void>;
}

/** Nobody reads BullMQ's event stream; a small bound keeps Redis small. */
const maxEvents = 200;

const maxPriority = 2_000_000;

const ringIdOf = (row: Ringable) => `${row.id}-${row.generation}`;

export function createDoorbell(connection: Redis): Doorbell {
  const queues = new Map(
    queueNames.map((name) => [
      name,
      new Queue<Ring, void>(name, {
        connection: connection as ConnectionOptions,
        prefix: redisPrefix,
        streams: { events: { maxLen: maxEvents } },
      }),
    ]),
  );
  // The connection tells by itself; unheard, BullMQ would print each of its attempts for each queue.
  for (const queue of queues.values()) queue.on('error', () => undefined);
  const queueOf = (name: QueueName) => {
    const queue = queues.get(name);
    if (queue === undefined) throw new Error(`No queue is named ${name}`);
    return queue;
  };

  async function ring(rows: readonly Ringable[]): Promise<void> {
    await Promise.all(
      rows.map((row) =>
        queueOf(row.queue).add(
          'row',
          { id: row.id, alone: row.crashes >= suspectCrashes },
          {
            jobId: ringIdOf(row),
            delay: Math.max(0, row.run_at.getTime() - Date.now()),
            // 0 is BullMQ's first rank and its cheapest.
            priority: Math.min(row.priority ?? 0, maxPriority),
            // A finished ring's id must be free again.
            removeOnComplete: true,
            removeOnFail: true,
          },
        ),
      ),
    );
  }

  return {
    ring,
    async ringMissing(rows) {
      const known = await Promise.all(
        rows.map((row) => connection.exists(`${redisPrefix}:${row.queue}:${ringIdOf(row)}`)),
      );
      await ring(rows.filter((_, index) => known[index] === 0));
    },
    async restoreSettings() {
      await Promise.all(
        queueNames.map((name) =>
          connection.hset(`${redisPrefix}:${name}:meta`, 'opts.maxLenEvents', maxEvents),
        ),
      );
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...queues.values()].map((queue) => queue.close()));
    },
  };
}
