import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';

export interface Drain {
  /** Takes no new connection, answers what is under way and closes each connection after its last answer. */
  stop(): Promise<void>;
}

/**
 * Ends a server so that no request fails: an idle connection stays open for `lingerMs`, because its client may
 * be sending on it right now; whoever asks on it is answered and told to close it.
 */
export function createDrain(server: Server, lingerMs: number): Drain {
  let draining = false;
  server.prependListener('request', (_request, response) => {
    if (draining) response.setHeader('Connection', 'close');
  });
  return {
    async stop() {
      draining = true;
      // http's own close() would close the idle connections at once.
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
      const linger = setTimeout(() => server.closeIdleConnections(), lingerMs);
      await closed;
      clearTimeout(linger);
    },
  };
}
