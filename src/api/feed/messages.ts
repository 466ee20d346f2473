import type { ErrorCode } from '../../shared/errors.ts';
import type { Job } from '../../shared/schemas/job.ts';
import type { JobEventKind } from '../../shared/db/tables.ts';

/** Why the service ends a connection, beside the codes of problems. */
export type EndCode = ErrorCode | 'too_slow' | 'stopping';

/** What a feed says. `seq` is where to go on from: everything up to it was told. */
export type FeedContent =
  | { type: 'ready'; seq: number }
  /** The job as the change has left it; `state` is no change but what it is now. */
  | { type: 'job'; seq: number; event: JobEventKind | 'state'; job: Job }
  /** Nothing is known of the job any more. */
  | { type: 'deleted'; seq: number; jobId: string }
  /** Changes between the number that was asked for and this one are not kept any more, or it was never given. */
  | { type: 'gap'; seq: number }
  | { type: 'heartbeat'; seq: number }
  /** A message of the client's that was not understood; the connection goes on. */
  | { type: 'error'; code: ErrorCode; detail: string }
  | { type: 'end'; code: EndCode; detail: string; seq: number | null };

/** One message; its bytes are made once, for however many connections it goes to. */
export class FeedMessage {
  readonly seq: number | null;
  readonly #json: string;
  #text: Buffer | undefined;
  #event: Buffer | undefined;

  constructor(content: FeedContent) {
    this.seq = 'seq' in content ? content.seq : null;
    this.#json = JSON.stringify(content);
  }

  /** As a message of a WebSocket. */
  get text(): Buffer {
    this.#text ??= Buffer.from(this.#json);
    return this.#text;
  }

  /** As a server-sent event, whose id is what `Last-Event-ID` brings back. */
  get event(): Buffer {
    const id = this.seq === null ? '' : `id: ${this.seq}\n`;
    this.#event ??= Buffer.from(`${id}data: ${this.#json}\n\n`);
    return this.#event;
  }
}
