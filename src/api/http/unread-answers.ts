import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Bytes that wait for the clients of one user or address, and for all clients. */
interface HeldBounds {
  ofOwner: number;
  inAll: number;
}

export interface UnreadBounds {
  /** Past which stalled answers end, and past which others do. */
  stalled: HeldBounds;
  most: HeldBounds;
  sampleEveryMs: number;
  /** An answer of which nothing was taken in so many samples is stalled. Samples, since no time passes while we are busy. */
  stalledSamples: number;
}

/** What one process holds of answers that are on their way. */
const usualBounds: UnreadBounds = {
  stalled: { ofOwner: 128 * 1024 ** 2, inAll: 512 * 1024 ** 2 },
  most: { ofOwner: 512 * 1024 ** 2, inAll: 1024 ** 3 },
  sampleEveryMs: 1_000,
  // The kernel takes more only once a third of its buffer is free: of a slow reader that is a megabyte at a time.
  stalledSamples: 60,
};
/** Over which it counts how fast an answer is taken. */
const rateSamples = 60;
/** That the kernel may be about to take: of a slow reader it takes so many at a time, and between them nothing. */
const burstBytes = 1024 ** 2;

interface Sending {
  owner: string;
  /** Of a response that waits behind another one of its connection, `response.socket` is not yet set. */
  socket: Socket;
  /** Bytes that the kernel had taken at the last sample, and in how many it had taken no more while some waited. */
  taken: number;
  idle: number;
  samples: number;
  /** Bytes a sample. */
  rate: number;
}

interface Connection {
  bytes: number;
  idle: number;
  /** At best. */
  rate: number;
}

/** What waits in the connections of one owner. */
interface Held {
  bytes: number;
  connections: Map<Socket, Connection>;
}

type Choose = (connections: [Socket, Connection][]) => [Socket, Connection][];

/** Those that would be taken last. */
const slowestFirst: Choose = (connections) => {
  const samplesLeft = ({ bytes, rate }: Connection): number => bytes / rate;
  return connections
    .filter(([, { bytes }]) => bytes > 0)
    .sort(([, a], [, b]) => samplesLeft(b) - samplesLeft(a));
};

/** How fast an answer is taken at best: the less was seen of it, the more a burst that is about to come would tell. */
function rateAtBest({ samples, rate }: Sending): number {
  // Before the first sample less than a whole interval has passed: it counts for little.
  return rate + burstBytes / Math.min(Math.max(samples - 1, 0.5), rateSamples);
}

/**
 * Ends connections whose clients take nothing of what waits for them, once the answers of a user or of all hold more
 * memory than they may: the longest stalled first. One of which anything is taken is ended only where those that go on
 * hold several times as much: the slowest first.
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
      one.samples += 1;
      if (one.samples > 1)
        one.rate += (taken - one.taken - one.rate) / Math.min(one.samples - 1, rateSamples);
      one.idle = bytes === 0 || taken !== one.taken ? 0 : one.idle + 1;
      one.taken = taken;
      const held = owners.get(owner) ?? { bytes: 0, connections: new Map<Socket, Connection>() };
      owners.set(owner, held);
      held.bytes += bytes;
      const connection = held.connections.get(socket) ?? { bytes: 0, idle: 0, rate: 0 };
      held.connections.set(socket, connection);
      connection.bytes += bytes;
      connection.idle = Math.max(connection.idle, one.idle);
      connection.rate = Math.max(connection.rate, rateAtBest(one));
    }
    return owners;
  }

  const stalledFirst: Choose = (connections) =>
    connections
      .filter(([, { idle }]) => idle >= bounds.stalledSamples)
      .sort(([, a], [, b]) => b.idle - a.idle);

  function endPast(bound: HeldBounds, held: readonly Held[], choose: Choose): void {
    let inAll = held.reduce((sum, { bytes }) => sum + bytes, 0);
    // Where all hold too much, nobody loses an answer who holds no more than an equal share.
    const share = bound.inAll / held.length;
    const isTooMuch = ({ bytes }: Held) => bytes > bound.ofOwner || (inAll > bound.inAll && bytes > share);
    for (const one of held.toSorted((a, b) => b.bytes - a.bytes)) {
      if (!isTooMuch(one)) break;
      for (const [socket, { bytes }] of choose([...one.connections])) {
        if (!isTooMuch(one)) break;
        // The connection: without its socket a response that is destroyed would keep what it holds.
        socket.destroy();
        one.connections.delete(socket);
        one.bytes -= bytes;
        inAll -= bytes;
      }
    }
  }

  function sample(): void {
    const held = [...measure().values()];
    endPast(bounds.stalled, held, stalledFirst);
    endPast(bounds.most, held, slowestFirst);
    if (sending.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    watch(response, owner) {
      const { socket } = response.req;
      if (response.closed || response.destroyed || socket.destroyed) return;
      sending.set(response, { owner, socket, taken: takenBy(socket), idle: 0, samples: 0, rate: 0 });
      response.once('close', () => sending.delete(response));
      timer ??= setInterval(sample, bounds.sampleEveryMs).unref();
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
