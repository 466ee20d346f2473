import { once } from 'node:events';
import { WebSocket } from 'ws';

export interface FeedMessage {
  type: string;
  seq?: number;
  event?: string;
  job?: { id: string; status: string; finishedAt: string | null; result?: unknown };
  jobId?: string;
  code?: string;
  detail?: string;
}

/** A connection to the feed, and all that it has said so far. */
export interface FeedClient {
  readonly messages: FeedMessage[];
  /** Resolves with the close code; 0 for a stream. */
  readonly closed: Promise<number>;
  send(message: unknown): void;
  /** The first message that passes, of those that came or will come. */
  find(matches: (message: FeedMessage) => boolean): Promise<FeedMessage>;
  /** Stops reading from the socket. */
  pause(): void;
  resume(): void;
  close(): void;
}

const eventsPath = '/api/proxy/events';

function collect(onMessage?: FeedRequest['onMessage']) {
  const messages: FeedMessage[] = [];
  const waiting = new Set<() => void>();
  return {
    messages,
    add(text: string) {
      const message = JSON.parse(text) as FeedMessage;
      if (onMessage !== undefined) return onMessage(message);
      messages.push(message);
      for (const check of waiting) check();
    },
    find(matches: (message: FeedMessage) => boolean): Promise<FeedMessage> {
      const { promise, resolve } = Promise.withResolvers<FeedMessage>();
      const check = () => {
        const found = messages.find(matches);
        if (found === undefined) return;
        waiting.delete(check);
        resolve(found);
      };
      waiting.add(check);
      check();
      return promise;
    },
  };
}

export interface FeedRequest {
  headers?: Record<string, string>;
  /** Path and query beyond the path. */
  query?: string;
  /** Gets the messages, which are not kept then. */
  onMessage?: (message: FeedMessage) => void;
}

/** @throws Error where the upgrade is refused; its message has status and body. */
export async function openWebSocket(base: string, request: FeedRequest = {}): Promise<FeedClient> {
  const url = new URL(`${eventsPath}${request.query ?? ''}`, base.replace(/^http/, 'ws'));
  const socket = new WebSocket(url, { headers: request.headers ?? {}, perMessageDeflate: false });
  const { messages, add, find } = collect(request.onMessage);
  socket.on('message', (data) => add((data as Buffer).toString()));
  const closed = once(socket, 'close').then(([code]) => code as number);
  const refused = once(socket, 'unexpected-response').then(async ([, response]) => {
    const parts: Buffer[] = [];
    for await (const part of response) parts.push(part as Buffer);
    throw new Error(`${response.statusCode} ${Buffer.concat(parts).toString()}`);
  });
  refused.catch(() => undefined);
  await Promise.race([once(socket, 'open'), refused]);
  socket.on('error', () => undefined);
  return {
    messages,
    closed,
    find,
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    close: () => socket.terminate(),
  };
}

/** @throws Error where it is refused; its message has status and body. */
export async function openStream(base: string, request: FeedRequest = {}): Promise<FeedClient> {
  const stop = new AbortController();
  const response = await fetch(new URL(`${eventsPath}${request.query ?? ''}`, base), {
    headers: { Accept: 'text/event-stream', ...request.headers },
    signal: stop.signal,
  });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  const { messages, add, find } = collect(request.onMessage);
  const reading = (async () => {
    let text = '';
    const decoder = new TextDecoder();
    for await (const part of response.body ?? []) {
      text += decoder.decode(part as Uint8Array, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (data !== undefined) add(data);
      }
    }
  })();
  const unused = () => undefined;
  return {
    messages,
    closed: reading.then(
      () => 0,
      () => 0,
    ),
    find,
    send: unused,
    pause: unused,
    resume: unused,
    close: () => stop.abort(),
  };
}
