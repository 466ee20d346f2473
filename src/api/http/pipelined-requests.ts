import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** Of one connection, answered or not: clients that send the next before an answer are few, and send some. */
const mostAtOnce = 16;

/**
 * A connection that sends one request after the other without waiting for answers is ended past sixteen of them: all that
 * come in one packet would begin in one turn of the event loop, two thousand of them.
 */
export function boundPipelining(handle: RequestListener): RequestListener {
  const open = new WeakMap<Socket, number>();
  return (request, response) => {
    const { socket } = request;
    // The rest of its packet.
    if (socket.destroyed) return;
    const count = (open.get(socket) ?? 0) + 1;
    if (count > mostAtOnce) return void socket.destroy();
    open.set(socket, count);
    response.once('close', () => open.set(socket, (open.get(socket) ?? 1) - 1));
    handle(request, response);
  };
}
