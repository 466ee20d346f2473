import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface UnreadBounds {
  /** Bytes that wait for the clients of one user or address, and for all clients. */
  ofOwner: number;
  inAll: number;
  lookEveryMs: number;
  /** An answer of which nothing was taken at so many looks is stalled. Looks, since no time passes while we are busy. */
  stalledLooks: number;
}

/** What one process holds of answers that are on their way. */
const usualBounds: UnreadBounds = {
  ofOwner: 128 * 1024 ** 2,
  inAll: 512 * 1024 ** 2,
  lookEveryMs: 1_000,
  stalledLooks: 10,
};

interface Sending {
  owner: string;
  /** Of a response that waits behind another one of its connection, `response.socket` is not yet set. */
  socket: Socket;
  /** Bytes that the kernel had taken at the last look, and at how many it had taken no more while some waited. */
  taken: number;
  idle: number;
}

/** What waits in the connections of one owner. */
interface Held {
  bytes: number;
  connections: Map<Socket, { bytes: number; idle: number }>;
}

/**
 * Ends connections whose clients take nothing of what waits for them, once the answers of a user or of all hold more
 * memory than they may: the longest stalled first. One of which anything is taken is never ended.
 */
export function createUnreadAnswers(bounds: UnreadBounds = usualBounds): {
  /** Counts an answer from here on to its end. */
  watch(response: ServerResponse, owner: string): void;
} {
  const sending = new Map<ServerResponse, Sending>();
  let timer: NodeJS.Timeout | undefined;

  function measure(): Map<string, Held> {
    const owners = new Map<string, Held>();
    for (const [response, one] of sending) {
      const { owner, socket } = one;
      // Those behind another one are not told that their connection has ended.
      if (socket.destroyed) {
        sending.delete(response);
        continue;
      }
      const bytes = response.writableLength;
      const taken = takenBy(socket);
      one.idle = bytes === 0 || taken !== one.taken ? 0 : one.idle + 1;
      one.taken = taken;
      const held = owners.get(owner) ?? { bytes: 0, connections: new Map() };
      owners.set(owner, held);
      held.bytes += bytes;
      const connection = held.connections.get(socket) ?? { bytes: 0, idle: 0 };
      held.connections.set(socket, connection);
      connection.bytes += bytes;
      connection.idle = Math.max(connection.idle, one.idle);
    }
    return owners;
  }

  function look(): void {
    const owners = [...measure().values()].toSorted((a, b) => b.bytes - a.bytes);
    let inAll = owners.reduce((sum, { bytes }) => sum + bytes, 0);
    // Where all hold too much, nobody loses an answer who holds no more than an equal share.
    const share = bounds.inAll / owners.length;
    const isTooMuch = ({ bytes }: Held) => bytes > bounds.ofOwner || (inAll > bounds.inAll && bytes > share);
    for (const held of owners) {
      if (!isTooMuch(held)) break;
      const stalled = [...held.connections].filter(([, { idle }]) => idle >= bounds.stalledLooks);
      for (const [socket, { bytes }] of stalled.toSorted(([, a], [, b]) => b.idle - a.idle)) {
        if (!isTooMuch(held)) break;
        // The connection: without its socket a response that is destroyed would keep what it holds.
        socket.destroy();
        held.bytes -= bytes;
        inAll -= bytes;
      }
    }
    if (sending.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    watch(response, owner) {
      const { socket } = response.req;
      if (response.closed || response.destroyed || socket.destroyed) return;
      sending.set(response, { owner, socket, taken: takenBy(socket), idle: 0 });
      response.once('close', () => sending.delete(response));
      timer ??= setInterval(look, bounds.lookEveryMs).unref();
    },
  };
}

/**
 * Bytes of a connection that the kernel has taken. Of the socket's own count a write is all or nothing, however large;
 * Node's own timeouts ask the handle too.
 */
function takenBy(socket: Socket): number {
  const { _handle: handle } = socket as { _handle?: { bytesWritten: number; writeQueueSize: number } | null };
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0;
}
