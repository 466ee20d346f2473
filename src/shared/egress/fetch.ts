import { Readable } from 'node:stream';
import { transportHeaders } from '../transport-headers.ts';
import type { EgressBody, EgressLease, EgressRequest } from './types.ts';

export interface FetchOptions {
  /** Until the headers of an answer, in milliseconds. Default 120,000: a model may think for long. */
  timeoutMs?: number;
  /** Longest silence within a body. Default 60,000. */
  idleTimeoutMs?: number;
  /** Decoded bytes of an answer. Default: the lease's byte budget alone. */
  maxBodyBytes?: number;
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
/** Statuses whose answers have no body (Fetch standard, "null body status"). */
const bodiless = new Set([101, 103, 204, 205, 304]);

/**
 * `fetch` for a library that wants one, over a lease: its hosts, its budget, its record. Bodies are streamed both ways.
 * Differs from the standard in one thing: a redirect is followed only where the caller says `redirect: 'follow'`; else
 * it is answered as it is, since a provider that redirects would be sent the credentials' request twice.
 * @returns a function that rejects with a TypeError whose `cause` is the AppError, or with the signal's reason.
 */
export function createFetch(lease: EgressLease, options: FetchOptions = {}): typeof fetch {
  const { timeoutMs = 120_000, idleTimeoutMs = 60_000 } = options;
  const bounds = options.maxBodyBytes === undefined ? {} : { maxBodyBytes: options.maxBodyBytes };
  return async (input, init) => {
    const request = new Request(input, init);
    // The request's own forgets the caller's once the request itself is forgotten.
    const signal = init?.signal ?? request.signal;
    signal.throwIfAborted();
    const redirect = init?.redirect ?? (input instanceof Request ? input.redirect : 'manual');
    const method = methods.find((known) => known === request.method);
    if (method === undefined) throw new TypeError(`The method ${request.method} cannot be sent`);
    try {
      const answer = await lease.stream({
        url: request.url,
        method,
        // Of the origin alone: the credentials are among them.
        originHeaders: sendable(request.headers),
        redirect: redirect === 'follow' ? 'follow' : 'manual',
        ...(await bodyOf(request, init)),
        signal,
        timeoutMs,
        firstByteTimeoutMs: timeoutMs,
        idleTimeoutMs,
        ...bounds,
      });
      const { status, body } = answer;
      const isRedirect = status >= 300 && status < 400 && 'location' in answer.headers;
      if (redirect === 'error' && isRedirect) {
        body.destroy();
        throw new TypeError(`${new URL(request.url).host} redirected the request`);
      }
      const isEmpty = bodiless.has(status) || method === 'HEAD';
      if (isEmpty) body.resume();
      const response = new Response(isEmpty ? null : toWebStream(body), {
        status,
        headers: toHeaders(answer.headers),
      });
      Object.defineProperty(response, 'url', { value: answer.url });
      Object.defineProperty(response, 'redirected', { value: answer.redirects.length > 0 });
      return response;
    } catch (cause) {
      signal.throwIfAborted();
      throw cause instanceof TypeError ? cause : new TypeError('fetch failed', { cause });
    }
  };
}

function sendable(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => !transportHeaders.has(name)));
}

/** A body that is there already is sent with its length, and again where it must be; a stream as it comes. */
async function bodyOf(
  request: Request,
  init: RequestInit | undefined,
): Promise<Pick<EgressRequest, 'body' | 'bodyBytes'>> {
  if (request.body === null) return {};
  const given = init?.body;
  const isStream = given == null || given instanceof ReadableStream || isIterated(given);
  if (!isStream) return { body: Buffer.from(await request.arrayBuffer()) };
  const length = request.headers.get('content-length');
  const body: EgressBody = request.body;
  return length === null ? { body } : { body, bodyBytes: Number(length) };
}

function isIterated(body: unknown): boolean {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

const toWebStream = (body: Readable) => Readable.toWeb(body) as ReadableStream<Uint8Array<ArrayBuffer>>;

function toHeaders(joined: Record<string, string>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(joined)) {
    for (const each of name === 'set-cookie' ? value.split('\n') : [value]) headers.append(name, each);
  }
  return headers;
}
