import type { ClientRequest, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { request as httpRequest } from '../node-http.ts';
import { maxHeaderBytes, maxHeaders } from './answer-heads.ts';
import type { Connection, Connections, LeaseAgent, RoutedRequest } from './connections.ts';
import { EgressError, protocolError, tellReached, timeoutError } from './egress-error.ts';
import { isStreamed } from './redirects.ts';
import { portOf, requestTargetOf } from './target-url.ts';
import type { EgressBody } from './types.ts';

export interface ExchangeRequest {
  url: URL;
  method: string;
  headers: Record<string, string>;
  body: EgressBody | null;
  /** Of a streamed body; null where its length is not known. */
  bodyBytes: number | null;
  firstByteTimeoutMs: number;
  signal: AbortSignal;
}

export interface Exchange {
  response: IncomingMessage;
  connection: Connection;
  /** The connection had served an earlier request of the lease. */
  isReused: boolean;
  /** From the request sent to its response's headers, informational responses (1xx) skipped. */
  firstByteMs: number;
  /** Bytes received on the wire for this exchange so far. */
  bytesReceived(): number;
  /** More came than the length that the response declared; only what came together with the rest is noticed. */
  hasExcess(): boolean;
}

/** One request and its response's headers; the body is still to be read. @throws EgressError, or the signal's reason. */
export async function exchange(
  connections: Connections,
  agent: LeaseAgent,
  request: ExchangeRequest,
): Promise<Exchange> {
  for (;;) {
    const attempt = send(connections, agent, request);
    try {
      return await attempt.response;
    } catch (error) {
      // The server may close an idle connection just as it is used again (RFC 9110, section 9.2.2).
      const isStale =
        error instanceof EgressError && error.result === 'reset' && attempt.request?.reusedSocket;
      const isRepeatable = !['POST', 'PATCH'].includes(request.method) && !isStreamed(request.body);
      if (!isStale || !isRepeatable) throw error;
    }
  }
}

function send(
  connections: Connections,
  agent: LeaseAgent,
  { url, method, headers, body, bodyBytes, firstByteTimeoutMs, signal }: ExchangeRequest,
): { request: ClientRequest | null; response: Promise<Exchange> } {
  const host = url.hostname;
  const contentLength = isStreamed(body) ? bodyBytes : body && Buffer.byteLength(body);
  const options: RoutedRequest = {
    // A body that cannot be sent twice gets a connection that cannot be stale.
    ...(isStreamed(body) ? { createConnection: (...to) => agent.createConnection(...to) } : { agent }),
    method,
    path: requestTargetOf(url),
    headers: {
      host: url.host,
      ...(contentLength === null ? {} : { 'content-length': String(contentLength) }),
      ...headers,
    },
    setHost: false,
    maxHeaderSize: maxHeaderBytes,
    // Towards servers; nobody shares a connection whose answers could be mistaken for one another.
    insecureHTTPParser: true,
    route: { host, port: portOf(url), tls: url.protocol === 'https:', signal },
  };
  let request: ClientRequest;
  try {
    request = httpRequest(options);
  } catch (cause) {
    const detail = 'A header or the method of the request cannot be sent. Use only printable characters.';
    const error = new EgressError('invalid_request', detail, 'refused', 'parse', { cause });
    return { request: null, response: Promise.reject(error) };
  }
  // One more is what a mended head says of its connection.
  request.maxHeadersCount = maxHeaders + 1;

  const response = new Promise<Exchange>((resolve, reject) => {
    let sentAt = performance.now();
    let hasExcess = false;
    let bytesBefore = 0;
    let connection: Connection | undefined;
    let timer: NodeJS.Timeout | undefined;
    let isAnswered = false;
    let bodyFailure: unknown;
    const onAbort = (): void => void request.destroy(signal.reason as Error);
    const onClose = (): void =>
      reject(bodyFailure ?? sendError(host, new Error('Closed without a response')));

    request.once('socket', (stream) => {
      connection = connections.of(stream);
      connection?.heads.expect();
      bytesBefore = request.reusedSocket ? (connection?.countReceived() ?? 0) : 0;
    });
    request.once('finish', () => {
      if (isAnswered) return;
      sentAt = performance.now();
      timer = setTimeout(() => {
        const limit = `${firstByteTimeoutMs / 1000} s`;
        request.destroy(
          timeoutError(`${host} accepted the request but sent no response headers within ${limit}.`),
        );
      }, firstByteTimeoutMs);
    });
    request.once('response', (incoming) => {
      isAnswered = true;
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      request.removeListener('close', onClose);
      const opened = connection;
      if (!opened) return reject(new Error('A response came without a connection'));
      const bytesReceived = (): number => opened.countReceived() - bytesBefore;
      const firstByteMs = performance.now() - sentAt;
      resolve({
        response: incoming,
        connection: opened,
        isReused: request.reusedSocket,
        firstByteMs,
        bytesReceived,
        hasExcess: () => hasExcess && hasBody(method, incoming.statusCode),
      });
    });
    request.once('upgrade', (_incoming, stream) => {
      stream.destroy();
      request.destroy(protocolError(`${host} switched to another protocol although nobody asked for it.`));
    });
    request.once('close', onClose);
    // It stays: an error after the headers shows in the body's reading.
    request.on('error', (cause) => {
      hasExcess ||= codeOf(cause).startsWith('HPE_');
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      const error: unknown = signal.aborted ? signal.reason : (bodyFailure ?? sendError(host, cause));
      // A connection from before was not opened for this request.
      if (connection && !request.reusedSocket) tellReached(error, connection);
      reject(error);
    });
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    if (!isStreamed(body)) return void request.end(body ?? undefined);
    const noting = noteFailure(body, (error) => (bodyFailure = error));
    // What goes wrong shows in the request.
    pipeline(Readable.from(noting, { objectMode: false }), request).catch(() => undefined);
  });
  return { request, response };
}

/** An answer without a body may name a length, and some servers send one all the same. */
function hasBody(method: string, status: number | undefined): boolean {
  return method !== 'HEAD' && status !== 204 && status !== 304;
}

async function* noteFailure<T>(source: AsyncIterable<T>, note: (error: unknown) => void): AsyncGenerator<T> {
  try {
    yield* source;
  } catch (error) {
    note(error);
    throw error;
  }
}

/** What a failure before the response's headers means. */
export function sendError(host: string, cause: unknown): EgressError {
  if (cause instanceof EgressError) return cause;
  const code = codeOf(cause);
  if (code === 'HPE_HEADER_OVERFLOW') {
    return protocolError(`${host} sent more than ${maxHeaderBytes} bytes of headers.`, cause);
  }
  if (code.startsWith('HPE_'))
    return protocolError(`${host} answered with something that is not HTTP/1.1.`, cause);
  const detail = `${host} closed the connection without answering. Try again, or check that the site is up.`;
  return new EgressError('target_unreachable', detail, 'reset', null, { cause });
}

/** Node's error code; a DOMException's is a number and says nothing here. */
function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
}
