import type { Logger } from 'pino';
import type { Db } from '../../shared/db/client.ts';
import { getEventHorizon, type JobEvent, readSettledEvents } from '../../shared/jobs/events.ts';
import type { ToldEvent } from './tell-events.ts';

const eventsAtOnce = 200;
/** Longer than a transaction that does nothing is left open. */
const startsWithinMs = 12_000;

/** What was read in one go. */
export interface Batch {
  /** Whose events were asked for. */
  userIds: ReadonlySet<string>;
  /** All their settled events up to this number have been handed out with it. */
  upTo: number;
  events: readonly ToldEvent[];
}

export interface TailOptions {
  db: Db;
  log: Logger;
  /** Those who listen now. */
  listeners(): ReadonlySet<string>;
  tell(events: readonly JobEvent[]): Promise<ToldEvent[]>;
  /** Called after the events were read and before they are handed out. */
  beforeDelivery(): Promise<void>;
  deliver(batch: Batch): void;
}

/** Reads the end of the list of events once for all connections of the process. */
export interface Tail extends AsyncDisposable {
  /** Up to here batches have been handed out. */
  readonly seq: number;
  /**
   * Where a connection that begins now begins.
   * @throws AppError `unavailable` where that cannot be told: what happened before would pass for news.
   */
  start(): Promise<number>;
  /** Nobody listens any more: whoever is the first again begins at the end that there is then. */
  rest(): void;
  /** There may be something to read. */
  wake(): void;
}

export function createTail({ db, log, listeners, tell, beforeDelivery, deliver }: TailOptions): Tail {
  let seq: number | null = null;
  let isWanted = false;
  let reading: Promise<void> | null = null;
  /** Of all that begin meanwhile: it may take a while, and Postgres is asked all the time. */
  let starting: Promise<number> | null = null;
  const stop = new AbortController();

  async function advance(): Promise<void> {
    const horizon = await getEventHorizon(db);
    while (seq !== null && seq < horizon && !stop.signal.aborted) {
      const userIds = new Set(listeners());
      const range = { after: seq, upTo: horizon, userIds: [...userIds], limit: eventsAtOnce };
      const read = await readSettledEvents(db, range);
      const upTo = read.length < eventsAtOnce ? horizon : (read.at(-1)?.seq ?? horizon);
      const events = await tell(read);
      if (events.length > 0) await beforeDelivery();
      // Who listens now has begun after all of this.
      if (seq !== range.after) return;
      seq = upTo;
      deliver({ userIds, upTo, events });
    }
  }

  async function readWhileWanted(): Promise<void> {
    while (isWanted && !stop.signal.aborted) {
      isWanted = false;
      // Postgres is away: the next read begins where this one did.
      await advance().catch((error: unknown) => log.warn({ err: error }, 'the feed could not be read'));
    }
    reading = null;
  }

  return {
    get seq() {
      return seq ?? 0;
    },
    async start() {
      if (seq === null) {
        const isFirst = starting === null;
        starting ??= getEventHorizon(db, { waitMs: startsWithinMs, upToNow: true }).finally(() => {
          starting = null;
        });
        const horizon = await starting;
        // Nobody is left where all who began have gone meanwhile.
        if (listeners().size > 0) seq ??= horizon;
        if (isFirst) return horizon;
      }
      // What is being read already goes on to all alike.
      return await getEventHorizon(db);
    },
    rest() {
      seq = null;
    },
    wake() {
      if (seq === null) return;
      isWanted = true;
      reading ??= readWhileWanted();
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await reading;
    },
  };
}
