import { type ConnectionOptions, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { isolateAfterCrashes } from './transitions/lease.ts';
import type { Dispatchable } from './backlog.ts';
import { type QueueName, queueNames } from '../operation.ts';
import { queuePrefix } from '../redis.ts';

/** All that a BullMQ job carries: the row in Postgres is the job. */
export interface Dispatch {
  id: string;
  /** Workers died while they ran the row: it is to be run in a process of its own. */
  isolated: boolean;
}

/** Tells workers which rows to run. A dispatch that is lost loses nothing: the reconciler dispatches again. */
export interface Dispatcher extends AsyncDisposable {
  /** As BullMQ has them, to be looked at. */
  readonly queues: readonly Queue[];
  dispatch(rows: readonly Dispatchable[]): Promise<void>;
  /** Dispatches only rows that Redis does not know (any more). */
  dispatchMissing(rows: readonly Dispatchable[]): Promise<void>;
  /** Redis has lost the data of a queue since `markKnown`. In a Redis Cluster each queue is on a node of its own. */
  hasLostData(): Promise<boolean>;
  /** Tells a Redis that has lost its data the settings of the queues again, which BullMQ does at its start only. */
  restoreSettings(): Promise<void>;
  /** All queued rows are dispatched. */
  markKnown(): Promise<void>;
}

/** Nobody reads BullMQ's event stream; a small bound keeps Redis small. */
const maxEvents = 200;

const maxPriority = 2_000_000;

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
  const forEachQueue = async (run: (queue: QueueName) => Promise<unknown>) =>
    await Promise.all(queueNames.map(run));

  async function dispatch(rows: readonly Dispatchable[]): Promise<void> {
    await Promise.all(
      rows.map((row) =>
        queueOf(row.queue).add(
          'row',
          { id: row.id, isolated: row.crashes >= isolateAfterCrashes },
          {
            jobId: dispatchIdOf(row),
            delay: Math.max(0, row.run_at.getTime() - Date.now()),
            // 0 is BullMQ's first rank and its cheapest.
            priority: Math.min(row.priority ?? 0, maxPriority),
            // The id must be free again once the dispatch is done with.
            removeOnComplete: true,
            removeOnFail: true,
          },
        ),
      ),
    );
  }

  return {
    queues: [...queues.values()],
    dispatch,
    async dispatchMissing(rows) {
      const known = await Promise.all(
        rows.map((row) => connection.exists(keyOf(row.queue, dispatchIdOf(row)))),
      );
      await dispatch(rows.filter((_, index) => known[index] === 0));
    },
    async hasLostData() {
      const marks = await forEachQueue((queue) => connection.exists(keyOf(queue, knownMark)));
      return marks.includes(0);
    },
    async restoreSettings() {
      await forEachQueue((queue) => connection.hset(keyOf(queue, 'meta'), 'opts.maxLenEvents', maxEvents));
    },
    async markKnown() {
      const now = new Date().toISOString();
      await forEachQueue((queue) => connection.set(keyOf(queue, knownMark), now));
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...queues.values()].map((queue) => queue.close()));
    },
  };
}
