import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type Koa from 'koa';
import { type WebSocket, WebSocketServer } from 'ws';
import { AppError } from '../../shared/errors.ts';
import { createId } from '../../shared/ids.ts';
import { findJobsWithSmallResult } from '../../shared/jobs/find-jobs.ts';
import type { ApiDeps } from '../deps.ts';
import { addressOf, authenticateText } from '../http/authenticate.ts';
import { answerOnSocket } from '../http/broken-requests.ts';
import { clientGone } from '../http/client-gone.ts';
import type { ApiContext, ApiState } from '../http/context.ts';
import { originOf } from '../http/origin.ts';
import { toAppError } from '../http/problem.ts';
import { validate } from '../http/validate.ts';
import { networkOf } from '../sessions/client-address.ts';
import { requesterOf } from '../user-gate.ts';
import { type FeedChannel, lastWordsMs } from './channel.ts';
import { type FeedCommand, feedCommand, feedQuery } from './commands.ts';
import type { Feed } from './feed.ts';
import { eventsPath } from './events-path.ts';
import { identifyListener, listenerOf } from './identify-listener.ts';
import { FeedMessage } from './messages.ts';
import type { Listener, Subscriber } from './subscriber.ts';
import { createWebSocketChannel } from './websocket-channel.ts';

const mostMessageBytes = 4_096;
/** For the first message, where the request itself did not say who asks. */
const authWithinMs = 10_000;
/** A client that says where it goes on does so at once; who says nothing is told what comes. */
const subscribeWithinMs = 500;
const mostWaitingCommands = 16;
/** Connections that have not said who they are: of one client address; in all, past which the oldest is closed. */
const mostUnknown = { ofAddress: 100, inAll: 1_000 };

/** For `createServer`: every other upgrade, such as to HTTP/2, is passed over and the request answered as it is. */
export function isFeedUpgrade(request: IncomingMessage): boolean {
  const isWebSocket = request.headers.upgrade?.toLowerCase() === 'websocket';
  return isWebSocket && request.method === 'GET' && request.url?.split('?')[0] === eventsPath;
}

function readCommand(data: Buffer): FeedCommand {
  let value: unknown;
  try {
    value = JSON.parse(data.toString());
  } catch {
    throw new AppError('invalid_request', 'The message is not JSON, e.g. {"type": "subscribe", "after": 0}.');
  }
  return validate(feedCommand, value);
}

interface ConversationParts {
  deps: ApiDeps;
  ctx: ApiContext;
  feed: Feed;
  channel: FeedChannel;
  origin: string;
  /** Of the request's query. */
  after: number | undefined;
  onKnown(): void;
}

/** One WebSocket: who listens, and what it asks for, one message after the other. */
class Conversation {
  readonly #parts: ConversationParts;
  #subscriber: Subscriber | undefined;
  #isKnown = false;
  #isAsking = false;
  readonly #gone = new AbortController();
  #hold: NodeJS.Timeout | undefined;

  constructor(parts: ConversationParts) {
    this.#parts = parts;
  }

  /** Somebody has said who this is, though the feed may not have begun. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** A key was sent, and is being looked up. */
  get isAsking(): boolean {
    return this.#isAsking;
  }

  /** What was asked for, understood, and is still to be told. */
  get waiting(): number {
    return this.#subscriber?.waiting ?? 0;
  }

  async begin(listener: Listener): Promise<void> {
    const { deps, feed, channel, origin, after, onKnown } = this.#parts;
    this.#isKnown = true;
    onKnown();
    const open = () => feed.open(listener, channel, { origin, after });
    const subscriber = await deps.gate.run(requesterOf(listener), this.#gone.signal, open);
    if (this.#gone.signal.aborted) return feed.close(subscriber);
    this.#subscriber = subscriber;
    if (after !== undefined) subscriber.subscribe({ after });
    else this.#holdBack(subscriber);
  }

  #holdBack(subscriber: Subscriber): void {
    this.#hold = setTimeout(() => subscriber.follow(), subscribeWithinMs);
  }

  /** @returns whether the feed waited for what the client says first. */
  #endHold(): boolean {
    const isHeld = this.#hold !== undefined;
    clearTimeout(this.#hold);
    this.#hold = undefined;
    return isHeld;
  }

  async take(data: Buffer): Promise<void> {
    const command = readCommand(data);
    if (command.type === 'auth') {
      if (this.isKnown) throw new AppError('invalid_request', 'This connection is authenticated already.');
      const { deps, ctx } = this.#parts;
      this.#isAsking = true;
      const principal = await authenticateText(command.key, ctx, deps).finally(
        () => (this.#isAsking = false),
      );
      await this.begin(listenerOf(principal, addressOf(ctx, deps)));
      return;
    }
    const { jobId, after } = command;
    const subscriber = this.#subscriber;
    if (subscriber === undefined) {
      throw new AppError('key_missing', 'Say who you are first: {"type": "auth", "key": "svc_live_…"}.');
    }
    const wasHeld = this.#endHold();
    try {
      if (jobId !== undefined) await this.#checkOwn(jobId, subscriber.listener);
    } catch (error) {
      if (wasHeld && !this.#gone.signal.aborted) this.#holdBack(subscriber);
      throw error;
    }
    subscriber.subscribe({ jobId, after });
  }

  async #checkOwn(jobId: string, listener: Listener): Promise<void> {
    const { db, gate } = this.#parts.deps;
    const find = () => findJobsWithSmallResult(db, [jobId], 0);
    const row = (await gate.run(requesterOf(listener), this.#gone.signal, find)).get(jobId);
    if (row?.user_id !== listener.userId) throw new AppError('not_found', 'You have no job with this id.');
  }

  /** What was said is not understood, or refused, be it for now: a client that has said who it is may go on. */
  fail(error: AppError): void {
    const { code, detail } = error;
    if (this.#subscriber !== undefined && (error.status < 500 || code === 'overloaded')) {
      this.#parts.channel.send([new FeedMessage({ type: 'error', code, detail })]);
    } else {
      this.end(code, detail);
    }
  }

  end(code: AppError['code'], detail: string): void {
    if (this.#gone.signal.aborted) return;
    this.#gone.abort(clientGone);
    clearTimeout(this.#hold);
    const { channel, feed } = this.#parts;
    if (this.#subscriber === undefined) {
      channel.end(new FeedMessage({ type: 'end', code, detail, seq: null }), 'refused');
    } else feed.end(this.#subscriber, code, detail, 'refused');
  }

  /** The socket is closed. */
  close(): void {
    this.#gone.abort(clientGone);
    clearTimeout(this.#hold);
    if (this.#subscriber !== undefined) this.#parts.feed.close(this.#subscriber);
  }
}

/** `/api/proxy/events` as a WebSocket. Disposing it refuses new ones; the feed ends those that are open. */
export function serveWebSocket(server: Server, app: Koa<ApiState>, deps: ApiDeps, feed: Feed): Disposable {
  const upgrades = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: mostMessageBytes,
  });
  /** With the network of the client's address; those that have waited longest come first. */
  const unknown = new Map<Conversation, string>();
  const sockets = new Set<WebSocket>();
  let isStopping = false;

  /** @throws AppError `unavailable` */
  function closeOldest(network: string): void {
    const ofAddress = [...unknown.values()].filter((one) => one === network).length;
    if (ofAddress >= mostUnknown.ofAddress) {
      throw new AppError(
        'unavailable',
        'Too many connections of your address have not said who they are. Send the key with the request, or try again in a moment.',
      );
    }
    const [oldest] = unknown.size >= mostUnknown.inAll ? unknown.keys() : [];
    if (oldest === undefined) return;
    unknown.delete(oldest);
    oldest.end('key_missing', 'Nobody has said who this is, and others are waiting.');
  }

  function converse(socket: Duplex, webSocket: WebSocket, ctx: ApiContext, known: Listener | null): void {
    const channel = createWebSocketChannel(socket, webSocket);
    const { after } = validate(feedQuery, ctx.query);
    const origin = originOf(ctx, deps);
    const onKnown = () => void unknown.delete(conversation);
    const conversation = new Conversation({ deps, ctx, feed, channel, origin, after, onKnown });
    let work: Promise<void> = Promise.resolve();
    let waiting = 0;
    if (known === null) unknown.set(conversation, networkOf(addressOf(ctx, deps)));
    sockets.add(webSocket);
    const timer = setTimeout(() => {
      if (conversation.isKnown || conversation.isAsking) return;
      conversation.end('key_missing', `No key was sent within ${authWithinMs / 1_000} s.`);
    }, authWithinMs);

    function next(step: () => Promise<void>): void {
      waiting += 1;
      work = work
        .then(step)
        .catch((error: unknown) => conversation.fail(toAppError(error, undefined)))
        .finally(() => {
          waiting -= 1;
        });
    }
    if (known !== null) next(() => conversation.begin(known));
    webSocket.on('message', (data, isBinary) => {
      if (waiting + conversation.waiting >= mostWaitingCommands || isBinary) {
        conversation.end('invalid_request', 'Send text messages, and wait for what they bring.');
      } else next(() => conversation.take(data as Buffer));
    });
    // Its close follows, and says all.
    webSocket.on('error', () => undefined);
    webSocket.once('close', () => {
      clearTimeout(timer);
      unknown.delete(conversation);
      sockets.delete(webSocket);
      conversation.close();
    });
  }

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const response = new ServerResponse(request);
    // It is not given the socket, and hears of its end by nobody else. What is half closed is no WebSocket any more.
    for (const end of ['end', 'close']) socket.once(end, () => response.destroy().emit('close'));
    const ctx = app.createContext(request, response) as unknown as ApiContext;
    ctx.state.requestId = createId();
    if (isStopping) throw new AppError('unavailable', 'This process is stopping. Connect again.');
    validate(feedQuery, ctx.query);
    const known = await identifyListener(ctx, deps);
    if (known === null) closeOldest(networkOf(addressOf(ctx, deps)));
    upgrades.handleUpgrade(request, socket, head, (webSocket) => converse(socket, webSocket, ctx, known));
  }

  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => undefined);
    upgrade(request, socket, head).catch((error: unknown) => {
      const { code, detail } = toAppError(error, undefined);
      deps.log.info({ code, path: eventsPath }, 'a WebSocket was refused');
      answerOnSocket(socket, code, detail);
    });
  });
  return {
    [Symbol.dispose]() {
      isStopping = true;
      for (const conversation of unknown.keys()) conversation.end('unavailable', 'This process is stopping.');
      // The server closes once they are gone; one that does not read must not hold it.
      setTimeout(() => {
        for (const webSocket of sockets) webSocket.terminate();
      }, lastWordsMs.stopping).unref();
    },
  };
}
