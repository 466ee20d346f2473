import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { Next } from 'koa';
import type { ApiContext } from './context.ts';
import { createUnreadAnswers } from './unread-answers.ts';

/** A client that takes nothing for so long is gone. */
const takenWithinMs = 60_000;
/** With less left to send nobody can hold much. */
const smallBytes = 16 * 1024;

/**
 * Ends a connection whose client takes nothing of an answer that waits for it: what waits is held in memory, and
 * nothing else tells of one that keeps its connection. One that waits for us is left alone. Bounds what all of them hold.
 * @param findOwner whose answers count together.
 */
export function endUnread(
  findOwner: (ctx: ApiContext) => string,
  { idleMs = takenWithinMs, answers = createUnreadAnswers() } = {},
) {
  return async (ctx: ApiContext, next: Next): Promise<void> => {
    const { res } = ctx;
    // Node asks how far the kernel has come with a write: a slow client is none that takes nothing.
    res.on('timeout', (socket: Socket) => {
      if (socket.writableLength > 0) socket.destroy();
      else socket.setTimeout(idleMs);
    });
    await next();
    res.socket?.setTimeout(idleMs);
    // Koa has sent the body by then; `ctx.length` would write an object as JSON once more.
    process.nextTick(() => {
      if (ctx.body instanceof Readable || res.writableLength > smallBytes) answers.watch(res, findOwner(ctx));
    });
  };
}
