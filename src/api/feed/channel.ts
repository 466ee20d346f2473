import type { FeedMessage } from './messages.ts';

/** An open connection to a client: a WebSocket, or a response of server-sent events. */
export interface FeedChannel {
  /** Hands messages to the socket together, and does not wait. */
  send(messages: readonly FeedMessage[]): void;
  /** Handed over, and still in our memory. */
  readonly bufferedBytes: number;
  /** Something for the client and all proxies on the way to hear. Closes where nothing was heard of it since the last one. */
  heartbeat(seq: number | null): void;
  /** The last message, and the close; what is not taken by the client within some seconds is given up. */
  end(last: FeedMessage, why: EndReason): void;
}

/** `refused`: who listens may not any more; `slow`, `stopping`: may come again; `invalid`: what it sent. */
export type EndReason = 'refused' | 'slow' | 'stopping' | 'invalid';

/** For the client to take what is on its way, the last message included. */
export const lastWordsMs: Record<EndReason, number> = {
  refused: 5_000,
  invalid: 5_000,
  slow: 60_000,
  stopping: 5_000,
};
