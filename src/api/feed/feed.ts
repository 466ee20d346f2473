import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { type Db, isDatabaseAway } from '../../shared/db/client.ts';
import { AppError } from '../../shared/errors.ts';
import { listenForChanges } from '../../shared/jobs/announcer.ts';
import {
  findJobsChangedAfter,
  findOldestSeq,
  getLastTakenSeq,
  readSettledEvents,
} from '../../shared/jobs/events.ts';
import { findJobsWithSmallResult, findLiveJobIds } from '../../shared/jobs/find-jobs.ts';
import { isId } from '../../shared/ids.ts';
import { listenForKeyChanges } from '../../shared/keys/key-changes.ts';
import { createKeyedMutex } from '../keyed-mutex.ts';
import type { JobPresenter } from '../present-job.ts';
import { findRefusals } from './access.ts';
import { mostConnections } from './events-path.ts';
import type { EndReason, FeedChannel } from './channel.ts';
import { type EndCode, FeedMessage } from './messages.ts';
import { type Listener, Subscriber, type SubscriberOptions } from './subscriber.ts';
import { type Batch, createTail } from './tail.ts';
import { mostResultBytes, tellEvents } from './tell-events.ts';

/** For what was announced and not heard; also how soon the end of a right is noticed that nobody announced. */
const pollEveryMs = 1_000;
/** A restart or a failover of Postgres takes seconds: no connection needs to end for it. */
const databaseIsAwaitedMs = 20_000;
/** Of what the present state is told by: each may have a result. */
const statesAtOnce = 100;

type History = SubscriberOptions['history'];

/** The events of jobs, to whoever listens. */
export interface Feed extends AsyncDisposable {
  /**
   * Adds a connection, and tells it where it begins. It is told nothing more before it subscribes or follows.
   * @throws AppError `unavailable` while the service stops, `overloaded`
   */
  open(listener: Listener, channel: FeedChannel, opening: Opening): Promise<Subscriber>;
  /** Its socket is closed: until then it counts among its user's. */
  close(subscriber: Subscriber): void;
  /** Ends a connection with its last message; `close` follows. */
  end(subscriber: Subscriber, code: EndCode, detail: string, why: EndReason): void;
}

export interface Opening {
  /** Scheme and host that the client reaches us by. */
  origin: string;
  /** The number that the client will subscribe after. */
  after: number | undefined;
  /** Called before anything is sent. */
  onOpen?: () => void;
}

export interface FeedOptions {
  db: Db;
  /** A connection of Redis that is used for subscriptions only. */
  subscriber: Redis;
  presenter: Pick<JobPresenter, 'present'>;
  log: Logger;
  heartbeatMs: number;
}

async function whenThere<T>(read: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + databaseIsAwaitedMs;
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (!isDatabaseAway(error) || performance.now() > giveUpAt) throw error;
      await sleep(pollEveryMs);
    }
  }
}

type Subscribers = Map<string, Set<Subscriber>>;

function join(subscribers: Subscribers, subscriber: Subscriber): void {
  const { userId } = subscriber.listener;
  subscribers.set(userId, (subscribers.get(userId) ?? new Set()).add(subscriber));
}

function leave(subscribers: Subscribers, subscriber: Subscriber): void {
  const { userId } = subscriber.listener;
  const own = subscribers.get(userId);
  own?.delete(subscriber);
  if (own?.size === 0) subscribers.delete(userId);
}

export function createFeed({ db, subscriber: redis, presenter, log, heartbeatMs }: FeedOptions): Feed {
  /** Those that are told of what happens. */
  const byUser: Subscribers = new Map();
  /** Those whose sockets are open, the ended ones too. */
  const openOf: Subscribers = new Map();
  /** Of a user's connections that read what was before one reads at a time. */
  const oneAtATime = createKeyedMutex();
  let isStopping = false;

  const all = () => [...byUser.values()].flatMap((some) => [...some]);
  const tail = createTail({
    db,
    log,
    listeners: () => new Set(byUser.keys()),
    tell: (events) => tellEvents(db, presenter, events),
    beforeDelivery: checkAccess,
    deliver,
  });

  function deliver(batch: Batch): void {
    const events = Map.groupBy(batch.events, (event) => event.userId);
    for (const [userId, subscribers] of byUser) {
      const own = events.get(userId) ?? [];
      for (const subscriber of subscribers) {
        try {
          subscriber.take(batch, own);
        } catch (error) {
          // The others are told all the same; it reads again by itself.
          log.error({ err: error, userId }, 'a connection could not be told of events');
          subscriber.follow();
        }
      }
    }
  }

  async function readEvents(...[userId, range]: Parameters<History['read']>) {
    const read = await readSettledEvents(db, { ...range, userIds: [userId] });
    const upTo = read.length < range.limit ? range.upTo : (read.at(-1)?.seq ?? range.upTo);
    return { upTo, events: await tellEvents(db, presenter, read) };
  }

  async function readStates(...[userId, origin, cursor, jobId]: Parameters<History['states']>) {
    const ids = jobId === undefined ? await findLiveJobIds(db, userId) : [jobId].filter(isId);
    const messages: FeedMessage[] = [];
    for (let at = 0; at < ids.length; at += statesAtOnce) {
      messages.push(...(await statesOf(userId, origin, cursor, ids.slice(at, at + statesAtOnce))));
    }
    return messages;
  }

  async function statesOf(userId: string, origin: string, cursor: number, ids: readonly string[]) {
    const rows = await findJobsWithSmallResult(db, ids, mostResultBytes);
    const own = [...rows.values()].filter((row) => row.user_id === userId);
    if (own.length === 0) return [];
    // What has changed since is told as a change.
    const jobIds = own.map(({ id }) => id);
    const changed = await findJobsChangedAfter(db, { userId, jobIds, after: cursor });
    return own
      .filter(({ id }) => !changed.has(id))
      .map((row) => {
        const job = presenter.present(row, origin);
        return new FeedMessage({ type: 'job', seq: cursor, event: 'state', job });
      });
  }

  const history: History = {
    get seq() {
      return tail.seq;
    },
    oldestSeq: (userId) => whenThere(() => oneAtATime(userId, () => findOldestSeq(db))),
    newestSeq: (userId) => whenThere(() => oneAtATime(userId, () => getLastTakenSeq(db))),
    read: (...asked) => whenThere(() => oneAtATime(asked[0], () => readEvents(...asked))),
    states: (...asked) => whenThere(() => oneAtATime(asked[0], () => readStates(...asked))),
  };

  function tellNoMore(subscriber: Subscriber): void {
    subscriber.close();
    leave(byUser, subscriber);
    if (byUser.size === 0) tail.rest();
  }

  function close(subscriber: Subscriber): void {
    tellNoMore(subscriber);
    leave(openOf, subscriber);
  }

  function end(subscriber: Subscriber, code: EndCode, detail: string, why: EndReason): void {
    tellNoMore(subscriber);
    const last = new FeedMessage({ type: 'end', code, detail, seq: subscriber.told });
    subscriber.channel.end(last, why);
  }

  async function checkAccess(): Promise<void> {
    const subscribers = all();
    if (subscribers.length === 0) return;
    const refusalOf = await findRefusals(
      db,
      subscribers.map(({ listener }) => listener),
    );
    for (const subscriber of subscribers) {
      const refusal = refusalOf(subscriber.listener);
      if (refusal !== null) end(subscriber, refusal.code, refusal.detail, 'refused');
    }
  }
  const checkSoon = () =>
    checkAccess().catch((error: unknown) => log.warn({ err: error }, 'who listens could not be checked'));

  listenForChanges(redis, log, (jobs) => {
    if (jobs.some(({ userId }) => byUser.has(userId))) tail.wake();
  });
  listenForKeyChanges(redis, log, () => void checkSoon());
  const polls = setInterval(() => {
    if (byUser.size === 0) return;
    tail.wake();
    void checkSoon();
  }, pollEveryMs);
  const heartbeats = setInterval(() => {
    for (const subscriber of all()) subscriber.heartbeat();
  }, heartbeatMs);

  return {
    async open(listener, channel, { origin, after, onOpen }) {
      if (isStopping) throw new AppError('unavailable', 'This process is stopping. Connect again.');
      if ((openOf.get(listener.userId)?.size ?? 0) >= mostConnections) {
        throw new AppError(
          'overloaded',
          `You have ${mostConnections} connections open here, which is the bound. Close some.`,
        );
      }
      const subscriber = new Subscriber({
        listener,
        channel,
        origin,
        history,
        onSlow(detail) {
          log.info({ userId: listener.userId }, 'a feed was not read');
          end(subscriber, 'too_slow', detail, 'slow');
        },
        onFailure(error) {
          log.warn({ err: error }, 'a feed broke off');
          end(subscriber, 'unavailable', 'The events cannot be read right now. Connect again.', 'stopping');
        },
      });
      join(byUser, subscriber);
      join(openOf, subscriber);
      try {
        const start = await tail.start();
        subscriber.begin(start);
        onOpen?.();
        channel.send([new FeedMessage({ type: 'ready', seq: Math.min(start, after ?? start) })]);
      } catch (error) {
        close(subscriber);
        throw error;
      }
      return subscriber;
    },
    close,
    end,
    async [Symbol.asyncDispose]() {
      isStopping = true;
      clearInterval(polls);
      clearInterval(heartbeats);
      const detail = 'This process is stopping. Connect again, and go on after seq.';
      for (const subscriber of all()) end(subscriber, 'stopping', detail, 'stopping');
      await tail[Symbol.asyncDispose]();
    },
  };
}
