import { METHODS, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { type ErrorCode, errorKinds } from '../../shared/errors.ts';
import { createId } from '../../shared/ids.ts';
import { toProblem } from './problem.ts';

/** How a request has to arrive, as Node's server takes it. */
export const requestBounds = {
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  /** How often Node looks for what is late; its default is 30 s. */
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16 * 1024,
} as const;

const { headersTimeout, requestTimeout, maxHeaderSize } = requestBounds;
const refusals: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  HPE_HEADER_OVERFLOW: [
    'headers_too_large',
    `The request's line and headers are longer than ${maxHeaderSize / 1024} KiB. Shorten the URL or the headers.`,
  ],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['body_too_large', 'The chunk extensions of the body are too long.'],
  ERR_HTTP_REQUEST_TIMEOUT: [
    'request_timeout',
    `The request did not arrive in time: its headers within ${headersTimeout / 1_000} s, all of it within ${requestTimeout / 1_000} s.`,
  ],
};

const notHttp = ['invalid_request', 'This is not a request that HTTP/1.1 allows.'] as const;

const methods = 'GET, HEAD, POST, PUT, DELETE';
const allow = [`Allow: ${methods}`];

/** What reads as a request but for its method, which Node does not know. */
const requestLine = /^([\w!#$%&'*+.^`|~-]+) \S+ HTTP\/1\.[01]\r?\n/;

function findUnknownMethod(error: NodeJS.ErrnoException & { rawPacket?: Buffer }): string | undefined {
  if (error.code !== 'HPE_INVALID_METHOD') return undefined;
  const method = requestLine.exec(error.rawPacket?.toString('latin1') ?? '')?.[1];
  // One that is known is that of a request before it, in the same packet.
  return method !== undefined && METHODS.includes(method) ? undefined : method;
}

/** A problem that Node's server does not answer for us: written by hand, and the connection ends. */
export function answerOnSocket(
  socket: Duplex,
  code: ErrorCode,
  detail: string,
  headers: readonly string[] = [],
): void {
  const { status } = errorKinds[code];
  const requestId = createId();
  const body = JSON.stringify(toProblem({ code, detail }, requestId));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `X-Request-Id: ${requestId}`,
    'X-Content-Type-Options: nosniff',
    ...headers,
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Date: ${new Date().toUTCString()}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

/** What Node refuses before there is a request, answered in the form of all refusals. */
export function answerBrokenRequests(server: Server, log: Logger): void {
  const answers = new WeakMap<Duplex, ServerResponse>();
  server.prependListener('request', (request, response) => answers.set(request.socket, response));

  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const earlier = answers.get(socket);
    // A second answer within one that is on its way would be taken for its body.
    const interrupts = earlier?.headersSent === true && !earlier.writableFinished;
    if (interrupts || !socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const method = findUnknownMethod(error);
    if (method !== undefined) {
      const detail = `There is no method ${method.slice(0, 40)} here. Use the one that the path has, of ${methods}.`;
      answerOnSocket(socket, 'method_not_allowed', detail, allow);
      return;
    }
    const [code, detail] = refusals[error.code ?? ''] ?? notHttp;
    log.info({ code, why: error.code }, 'a request that could not be read');
    answerOnSocket(socket, code, detail);
  });
  server.on('connect', (_request, socket) => {
    const detail = 'CONNECT is not possible here: this is not a proxy. Use the method that the path has.';
    answerOnSocket(socket, 'method_not_allowed', detail, allow);
  });
  // RFC 9110, 10.1.1: an expectation that is not known may be passed over.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}
