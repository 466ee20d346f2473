import { type Server, type ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';

export interface Drain {
  /** Takes no new connection, answers what is under way and closes each connection after its last answer. */
  stop(): Promise<void>;
}

export interface DrainOptions {
  /** An idle connection stays open for this long, because its client may be sending on it right now. */
  lingerMs: number;
  /** Requests under way may take this long to come to their answer by themselves; then `hurry` is called. */
  answerWithinMs: number;
  hurry: () => void;
}

/** From `hurry` to the end of every connection, also of one whose request never becomes whole. */
const lastAnswersMs = 2_000;

/** A turn of the event loop that was this short has left nobody waiting; longer ones are taken, the longer it lasts. */
const quietTurnMs = 0.1;
const checkForMs = 1_000;

/**
 * Closes the listening socket right after all connections that waited in it were taken: the kernel resets those that
 * come between the last check and the close. On a shared port it goes on sending some until then, so the close comes
 * after a turn of the event loop that had hardly anything else to do.
 */
function closeListening(server: Server, onClosed: () => void): void {
  const start = performance.now();
  let turnStart = start;
  const check = () => {
    const now = performance.now();
    const tolerance = 2 ** ((now - start) / 100);
    if (now - turnStart > quietTurnMs * tolerance && now - start < checkForMs) {
      turnStart = now;
      setImmediate(check);
      return;
    }
    // http's own close() would close the idle connections at once.
    NetServer.prototype.close.call(server, onClosed);
  };
  setImmediate(() => {
    turnStart = performance.now();
    setImmediate(check);
  });
}

/** Ends a server so that no request fails: whoever still asks is answered and told to close the connection. */
export function createDrain(server: Server, { lingerMs, answerWithinMs, hurry }: DrainOptions): Drain {
  const underWay = new Set<ServerResponse>();
  let draining = false;
  server.prependListener('request', (_request, response) => {
    if (draining) response.setHeader('Connection', 'close');
    underWay.add(response);
    response.once('close', () => underWay.delete(response));
  });
  return {
    async stop() {
      draining = true;
      for (const response of underWay) if (!response.headersSent) response.setHeader('Connection', 'close');
      const closed = new Promise<void>((resolve) => closeListening(server, resolve));
      const timers = [
        setTimeout(() => server.closeIdleConnections(), lingerMs),
        setTimeout(hurry, answerWithinMs),
        setTimeout(() => server.closeAllConnections(), answerWithinMs + lastAnswersMs),
      ];
      await closed;
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
