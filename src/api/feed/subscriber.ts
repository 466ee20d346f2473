import { setTimeout as sleep } from 'node:timers/promises';
import type { FeedChannel } from './channel.ts';
import { FeedMessage } from './messages.ts';
import type { Batch } from './tail.ts';
import type { ToldEvent } from './tell-events.ts';

/** Past this nothing more is handed over before it has left: nobody's backlog is kept in our memory, Postgres has it. */
const mostBufferedBytes = 1024 * 1024;
/** Down to this the buffer empties before more is handed over. */
const leastBufferedBytes = 64 * 1024;
const pollEveryMs = 20;
const eventsAtOnce = 100;
/** For what is buffered to leave. Whoever takes longer is too slow. */
const sentWithinMs = 10_000;

/** Who listens, and by which right. */
export interface Listener {
  userId: string;
  /** One of the two. */
  keyId: string | null;
  sessionId: string | null;
  address: string;
}

/** What a client asks for; without `after` the present state comes first. */
export interface Subscription {
  jobId?: string | undefined;
  after?: number | undefined;
}

export interface SubscriberOptions {
  listener: Listener;
  channel: FeedChannel;
  /** Scheme and host that the client reaches us by. */
  origin: string;
  history: {
    /** Up to where all connections have been served. */
    readonly seq: number;
    oldestSeq(userId: string): Promise<number | null>;
    /** The greatest number that was ever given. */
    newestSeq(userId: string): Promise<number>;
    read(
      userId: string,
      range: { after: number; upTo: number; jobId?: string | undefined; limit: number },
    ): Promise<{ upTo: number; events: ToldEvent[] }>;
    /** Jobs as they are now: the one, or all that have not ended. Not those that have events after `cursor`. */
    states(userId: string, origin: string, cursor: number, jobId?: string): Promise<FeedMessage[]>;
  };
  onFailure(error: unknown): void;
  /** What was sent is not read. */
  onSlow(detail: string): void;
}

/**
 * One connection, and how far it has come. Live, it is handed each batch as it is read; behind, it reads pages of its
 * own until it has caught up. Either way it is told each number once and in order, since `cursor` only grows.
 */
export class Subscriber {
  readonly listener: Listener;
  readonly channel: FeedChannel;
  readonly #options: SubscriberOptions;
  #cursor = 0;
  /** Where the client would go on from now: behind the cursor while something older is told again. */
  #told = 0;
  #jobIds: Set<string> | null = null;
  #isLive = false;
  #isClosed = false;
  /** What was asked for, one after the other. */
  #work: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(options: SubscriberOptions) {
    this.#options = options;
    this.listener = options.listener;
    this.channel = options.channel;
  }

  /** To be called once, before all else: where it begins. */
  begin(seq: number): void {
    this.#cursor = this.#told = seq;
  }

  get told(): number {
    return this.#told;
  }

  /** What was asked for and has not been done. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Begins, or begins again, with what the subscription asks for; then goes on with what comes. */
  subscribe(subscription: Subscription): void {
    this.#do(async () => {
      await this.#replay(subscription);
      await this.#catchUp();
    });
  }

  /** Begins with what comes, or after the number that was given. */
  follow(): void {
    this.#do(() => this.#catchUp());
  }

  take(batch: Batch, events: readonly ToldEvent[]): void {
    if (!this.#isLive || this.#isClosed) return;
    if (!batch.userIds.has(this.listener.userId)) {
      this.follow();
      return;
    }
    this.#send(events.filter(({ seq }) => seq > this.#cursor));
    this.#cursor = Math.max(this.#cursor, batch.upTo);
    this.#told = this.#cursor;
    if (this.channel.bufferedBytes > mostBufferedBytes) this.follow();
  }

  heartbeat(): void {
    this.channel.heartbeat(this.#isLive ? this.#cursor : null);
  }

  close(): void {
    this.#isClosed = true;
  }

  #do(work: () => Promise<void>): void {
    this.#isLive = false;
    this.#waiting += 1;
    this.#work = this.#work
      .then(async () => {
        if (!this.#isClosed) await work();
      })
      .catch((error: unknown) => this.#options.onFailure(error))
      .finally(() => {
        this.#waiting -= 1;
      });
  }

  #send(events: readonly ToldEvent[]): void {
    const wanted = events.filter(({ jobId }) => this.#jobIds === null || this.#jobIds.has(jobId));
    if (wanted.length > 0) this.channel.send(wanted.map((event) => event.messageFor(this.#options.origin)));
  }

  async #replay({ jobId, after }: Subscription): Promise<void> {
    this.#jobIds = jobId === undefined ? null : new Set([...(this.#jobIds ?? []), jobId]);
    const { history, origin } = this.#options;
    if (after === undefined) {
      const messages = await history.states(this.listener.userId, origin, this.#cursor, jobId);
      if (!this.#isClosed && messages.length > 0) this.channel.send(messages);
      return;
    }
    // A number from before another connection's end may be ahead of what this process has read.
    if (after >= this.#cursor) await this.#skipTo(after);
    else {
      this.#told = after;
      await this.#readOn(await this.#afterGap(after), this.#cursor, jobId);
    }
  }

  /** A number that was never given is of another database, such as one before it was restored: nothing is known of it. */
  async #skipTo(after: number): Promise<void> {
    if (after <= (await this.#options.history.newestSeq(this.listener.userId)))
      this.#cursor = this.#told = after;
    else this.channel.send([new FeedMessage({ type: 'gap', seq: this.#cursor })]);
  }

  /** Tells where the oldest kept event is, where those between are not. */
  async #afterGap(after: number): Promise<number> {
    if (after === 0) return after;
    const oldest = (await this.#options.history.oldestSeq(this.listener.userId)) ?? this.#cursor + 1;
    if (oldest <= after + 1) return after;
    this.channel.send([new FeedMessage({ type: 'gap', seq: oldest - 1 })]);
    return oldest - 1;
  }

  async #readOn(after: number, upTo: number, jobId?: string): Promise<void> {
    for (let at = after; at < upTo && !this.#isClosed;) {
      const page = await this.#options.history.read(this.listener.userId, {
        after: at,
        upTo,
        jobId,
        limit: eventsAtOnce,
      });
      if (this.#isClosed) return;
      this.#send(page.events);
      at = this.#told = page.upTo;
      await this.#bufferSent();
    }
  }

  /** Ends in the same turn in which it finds that nothing is left: no batch can come between. */
  async #catchUp(): Promise<void> {
    if (this.channel.bufferedBytes > mostBufferedBytes) await this.#bufferSent();
    while (!this.#isClosed && this.#cursor < this.#options.history.seq) {
      const upTo = this.#options.history.seq;
      await this.#readOn(this.#cursor, upTo);
      this.#cursor = Math.max(this.#cursor, upTo);
    }
    this.#told = this.#cursor;
    this.#isLive = this.#waiting <= 1;
  }

  async #bufferSent(): Promise<void> {
    const giveUpAt = performance.now() + sentWithinMs;
    while (!this.#isClosed && this.channel.bufferedBytes > leastBufferedBytes) {
      if (performance.now() > giveUpAt) return this.#endSlow();
      await sleep(pollEveryMs);
    }
  }

  #endSlow(): void {
    this.#options.onSlow(
      `This client has not read what was sent to it for ${sentWithinMs / 1_000} s. Connect again, and go on after ${this.#told}.`,
    );
  }
}
