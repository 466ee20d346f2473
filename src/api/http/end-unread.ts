import type { Socket } from 'node:net';
import type { Middleware } from 'koa';

/** A client that takes nothing for so long is gone. */
const takenWithinMs = 60_000;

/**
 * Ends a connection whose client takes nothing of an answer that waits for it: what waits is held in memory, and
 * nothing else tells of one that keeps its connection. One that waits for us is left alone.
 */
export function endUnread(idleMs = takenWithinMs): Middleware {
  return async ({ res }, next) => {
    // Node asks how far the kernel has come with a write: a slow client is none that takes nothing.
    res.on('timeout', (socket: Socket) => {
      if (socket.writableLength > 0) socket.destroy();
      else socket.setTimeout(idleMs);
    });
    await next();
    res.socket?.setTimeout(idleMs);
  };
}
