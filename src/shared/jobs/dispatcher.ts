import { type ConnectionOptions, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { isolateAfterCrashes } from './transitions/lease.ts';
import type { Dispatchable } from './backlog.ts';
import { type QueueName, queueNames } from '../operation.ts';
import { queuePrefix } from '../redis.ts';

/** All that a BullMQ job carries: the row in Postgres is the job. */
export interface Dispatch {
  id: string;
  /** Workers died while they ran the row: it is to be run apart from its worker. */
  isolated: boolean;
}

/** Tells workers which rows to run. A dispatch that is lost loses nothing: the reconciler dispatches again. */
export interface Dispatcher extends AsyncDisposable {
  /** As BullMQ has them, to be shown. */
  readonly queues: readonly Queue[];
  /** @throws Error where it failed for some; the others are dispatched. In a Redis Cluster a node may be away alone. */
  dispatch(rows: readonly Dispatchable[]): Promise<void>;
  /** Dispatches only rows that Redis does not know (any more). */
  dispatchMissing(rows: readonly Dispatchable[]): Promise<void>;
  /**
   * The rows of all dispatches that a worker has taken and not answered yet, be it dead; of the queues for which Redis
   * answers.
   */
  listTaken(names: readonly QueueName[]): Promise<string[]>;
  /** The queues whose data Redis has lost since `markKnown`, as far as it answers. */
  listLost(): Promise<QueueName[]>;
  /** Tells a Redis that has lost its data the settings of a queue again, which BullMQ does at its start only. */
  restoreSettings(queue: QueueName): Promise<void>;
  /** All queued rows of the queue are dispatched. */
  markKnown(queue: QueueName): Promise<void>;
}

/** Nobody reads BullMQ's event stream; a small bound keeps Redis small. */
const maxEvents = 200;

const maxPriority = 2_000_000;

const idLength = 36;
const dispatchIdOf = (row: Dispatchable) => `${row.id}-${row.generation}`;

/** Of a queue's keys: is there since all its rows were dispatched. */
const knownMark = 'known-since';

export function createDispatcher(connection: Redis): Dispatcher {
  const queues = new Map(
    queueNames.map((name) => [
      name,
      new Queue<Dispatch, void>(name, {
        connection: connection as ConnectionOptions,
        prefix: queuePrefix(connection, name),
        streams: { events: { maxLen: maxEvents } },
        // A queue whose first question were not answered would refuse every row for good; workers ask it, too.
        skipVersionCheck: true,
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

  const keyOf = (queue: QueueName, name: string) => `${queuePrefix(connection, queue)}:${queue}:${name}`;

  async function dispatchRow(row: Dispatchable): Promise<void> {
    await queueOf(row.queue).add(
      'row',
      { id: row.id, isolated: row.crashes >= isolateAfterCrashes },
      {
        jobId: dispatchIdOf(row),
        delay: row.delayMs ?? 0,
        // 0 is BullMQ's first rank and its cheapest.
        priority: Math.min(row.priority ?? 0, maxPriority),
        // The id must be free again once the dispatch is done with.
        removeOnComplete: true,
        removeOnFail: true,
      },
    );
  }

  async function dispatchIfMissing(row: Dispatchable): Promise<void> {
    if ((await connection.exists(keyOf(row.queue, dispatchIdOf(row)))) === 0) await dispatchRow(row);
  }

  return {
    queues: [...queues.values()],
    async dispatch(rows) {
      await Promise.all(rows.map(dispatchRow));
    },
    async dispatchMissing(rows) {
      await Promise.all(rows.map(dispatchIfMissing));
    },
    async listTaken(names) {
      const taken = await Promise.allSettled(names.map((name) => queueOf(name).getRanges(['active'], 0, -1)));
      return taken.flatMap((ids) =>
        ids.status === 'fulfilled' ? ids.value.map((dispatchId) => dispatchId.slice(0, idLength)) : [],
      );
    },
    async listLost() {
      const marks = await Promise.allSettled(
        queueNames.map((queue) => connection.exists(keyOf(queue, knownMark))),
      );
      return queueNames.filter((_, index) => {
        const mark = marks[index];
        return mark?.status === 'fulfilled' && mark.value === 0;
      });
    },
    async restoreSettings(queue) {
      await connection.hset(keyOf(queue, 'meta'), 'opts.maxLenEvents', maxEvents);
    },
    async markKnown(queue) {
      await connection.set(keyOf(queue, knownMark), new Date().toISOString());
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...queues.values()].map((queue) => queue.close()));
    },
  };
}
