import type { ServerResponse } from 'node:http';
import { AppError } from '../../shared/errors.ts';
import type { ApiDeps } from '../deps.ts';
import { addressOf, authenticate } from '../http/authenticate.ts';
import { signalOf } from '../http/client-gone.ts';
import type { ApiContext } from '../http/context.ts';
import { originOf } from '../http/origin.ts';
import { validate } from '../http/validate.ts';
import { requesterOf } from '../user-gate.ts';
import { type FeedChannel, lastWordsMs } from './channel.ts';
import { feedQuery } from './commands.ts';
import type { Feed } from './feed.ts';
import { identifyListener, listenerOf, readLastEventId } from './identify-listener.ts';

function createSseChannel(response: ServerResponse): FeedChannel {
  return {
    send(messages) {
      response.write(Buffer.concat(messages.map((message) => message.event)));
    },
    get bufferedBytes() {
      return response.writableLength;
    },
    heartbeat(seq) {
      // A comment; an id alone is no event, but where EventSource goes on from.
      response.write(seq === null ? ':\n\n' : `:\nid: ${seq}\n\n`);
    },
    end(last, why) {
      response.end(last.event);
      const timer = setTimeout(() => response.destroy(), lastWordsMs[why]);
      response.once('close', () => clearTimeout(timer));
    },
  };
}

/** `GET /api/proxy/events` with `Accept: text/event-stream`. */
export function serveSse(deps: ApiDeps, feed: Feed) {
  return async (ctx: ApiContext): Promise<void> => {
    const listener =
      (await identifyListener(ctx, deps)) ?? listenerOf(await authenticate(ctx, deps), addressOf(ctx, deps));
    const { after: asked } = validate(feedQuery, ctx.query);
    const after = readLastEventId(ctx.get('Last-Event-ID').trim()) ?? asked;
    if (!/(^|[\s,])text\/event-stream\s*(;|,|$)/i.test(ctx.get('Accept'))) {
      throw new AppError(
        'not_acceptable',
        'This is a stream of events. Send Accept: text/event-stream, or open a WebSocket here.',
      );
    }
    const { res: response } = ctx;
    const channel = createSseChannel(response);
    const origin = originOf(ctx, deps);
    const opening = {
      origin,
      after,
      onOpen() {
        // From here on the connection is ours; whatever breaks before is answered as a problem.
        ctx.respond = false;
        ctx.status = 200;
        ctx.set({
          'Cache-Control': 'no-store',
          // Nothing comes after it.
          Connection: 'close',
          'Content-Type': 'text/event-stream; charset=utf-8',
          // nginx would gather the events.
          'X-Accel-Buffering': 'no',
        });
        response.flushHeaders();
      },
    };
    const open = () => feed.open(listener, channel, opening);
    const subscriber = await deps.gate.run(requesterOf(listener), signalOf(ctx), open);
    response.once('close', () => feed.close(subscriber));
    response.on('error', () => undefined);
    if (response.destroyed) feed.close(subscriber);
    if (after === undefined) subscriber.follow();
    else subscriber.subscribe({ after });
  };
}
