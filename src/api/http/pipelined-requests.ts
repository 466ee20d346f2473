import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Of one connection, answered or not: clients that send the next before an answer are few, and send some. */
const mostAtOnce = 16;
const mostWaiting = 256;

interface Pipeline {
  open: number;
  waiting: [IncomingMessage, ServerResponse][];
}

/**
 * Of a connection that sends one request after the other without waiting for answers sixteen run at once: all that come
 * in one packet would begin in one turn of the event loop, two thousand of them. The others wait, up to 256; past those
 * the connection is ended.
 */
export function boundPipelining(handle: RequestListener): RequestListener {
  const pipelines = new WeakMap<Socket, Pipeline>();

  function begin(pipeline: Pipeline, request: IncomingMessage, response: ServerResponse): void {
    pipeline.open += 1;
    response.once('close', () => {
      pipeline.open -= 1;
      const next = pipeline.waiting.shift();
      if (next !== undefined && !next[0].socket.destroyed) begin(pipeline, ...next);
    });
    handle(request, response);
  }

  return (request, response) => {
    const { socket } = request;
    // The rest of its packet.
    if (socket.destroyed) return;
    const pipeline = pipelines.get(socket) ?? { open: 0, waiting: [] };
    pipelines.set(socket, pipeline);
    if (pipeline.open < mostAtOnce) begin(pipeline, request, response);
    else if (pipeline.waiting.push([request, response]) > mostWaiting) socket.destroy();
  };
}
