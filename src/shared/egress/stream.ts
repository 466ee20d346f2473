import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { contentCodings, createDecoder, tooLarge } from './body.ts';
import { type ClientParts, linkAbort, logReached, walkHops } from './client.ts';
import { EgressError, protocolError, timeoutError } from './egress-error.ts';
import type { Exchange } from './exchange.ts';
import { asEgressError } from './outcome-log.ts';
import { joinHeaders } from './request-headers.ts';
import { portOf } from './target-url.ts';
import type { EgressStream, EgressStreamRequest } from './types.ts';

const defaultTimeoutMs = 30_000;
const defaultIdleTimeoutMs = 30_000;

/** The streaming HTTP client of a lease; the contract is `EgressLease.stream`. */
export async function streamTarget(parts: ClientParts, request: EgressStreamRequest): Promise<EgressStream> {
  const timeoutMs = request.timeoutMs ?? defaultTimeoutMs;
  const stop = new AbortController();
  const unlinks = [request.signal, parts.connections.signal].map((signal) => linkAbort(signal, stop));
  const unlink = (): void => unlinks.forEach((each) => each());
  const timer = setTimeout(
    () => stop.abort(timeoutError(`The target did not begin to answer within ${timeoutMs / 1000} s.`)),
    timeoutMs,
  );
  try {
    stop.signal.throwIfAborted();
    const { url, sent, redirects } = await walkHops(parts, request, stop.signal);
    const { response, connection } = sent;
    const body = openBody(parts, { url, sent, request, signal: stop.signal });
    body.once('close', unlink);
    return {
      url: url.href,
      status: response.statusCode ?? 0,
      headers: joinHeaders(response.rawHeaders),
      redirects,
      certificate: connection.certificate,
      body,
    };
  } catch (error) {
    unlink();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

interface OpenAnswer {
  url: URL;
  sent: Exchange;
  request: EgressStreamRequest;
  signal: AbortSignal;
}

function openBody(parts: ClientParts, answer: OpenAnswer): Readable {
  const { sent, signal } = answer;
  const { response } = sent;
  const stop = (): void => void response.destroy(signal.reason as Error);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  // Until somebody reads it, and after it was left.
  response.on('error', () => undefined);
  const left = new AbortController();
  const pieces = readPieces(parts, answer, left.signal);
  const body = new Readable({
    read() {
      pieces.next().then(
        ({ done, value }) => void this.push(done ? null : value),
        (error: unknown) => this.destroy(error as Error),
      );
    },
    destroy(error, done) {
      signal.removeEventListener('abort', stop);
      if (error === null) left.abort();
      if (!response.complete) response.destroy();
      done(error);
    },
  });
  body.on('error', () => undefined);
  return body;
}

async function* readPieces(
  parts: ClientParts,
  { url, sent, request, signal }: OpenAnswer,
  left: AbortSignal,
): AsyncGenerator<Buffer> {
  const { response } = sent;
  const { maxBodyBytes = Infinity, idleTimeoutMs = defaultIdleTimeoutMs } = request;
  const awaitPiece = () =>
    setTimeout(() => {
      response.destroy(timeoutError(`${url.hostname} sent nothing for ${idleTimeoutMs / 1000} s.`));
    }, idleTimeoutMs);
  let size = 0;
  let timer = awaitPiece();
  try {
    for await (const piece of await decode(response)) {
      clearTimeout(timer);
      sent.bytesReceived();
      size += (piece as Buffer).length;
      if (size > maxBodyBytes) throw tooLarge(maxBodyBytes);
      yield piece as Buffer;
      timer = awaitPiece();
    }
    logReached(parts, url, sent);
  } catch (cause) {
    if (left.aborted) return logReached(parts, url, sent);
    const error = signal.aborted ? signal.reason : toFailure(cause, url.hostname);
    parts.log.failed(url.hostname, portOf(url), 'fetch', asEgressError(error), sent.bytesReceived());
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** One layer of compression at most: one in another could be endless work for a few bytes. */
async function decode(response: IncomingMessage): Promise<Readable> {
  const [coding, ...more] = contentCodings(response);
  if (coding === undefined) return response;
  if (more.length > 0) throw protocolError("The target's body is compressed more than once.");
  const first = await waitForFirst(response);
  // An answer without a body, as to HEAD, has no compressed stream in it either.
  if (first === null) return response;
  return pipeline(response, createDecoder(coding, first), () => undefined);
}

async function waitForFirst(response: IncomingMessage): Promise<Buffer | null> {
  for (;;) {
    const chunk = response.read() as Buffer | null;
    if (chunk !== null) response.unshift(chunk);
    if (chunk !== null || response.readableEnded || response.complete) return chunk;
    if (response.destroyed) throw response.errored ?? new Error('aborted');
    await once(response, 'readable');
  }
}

function toFailure(cause: unknown, host: string): EgressError {
  if (cause instanceof EgressError) return cause;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (/^(Z_|ERR_BROTLI|ERR__ERROR|ERR_ZSTD|ZSTD_)/.test(code))
    return protocolError(`The body that ${host} sent is not compressed as its Content-Encoding says.`, cause);
  const detail = `${host} closed the connection before the end of its answer. Try again.`;
  return new EgressError('target_unreachable', detail, 'reset', null, { cause });
}
