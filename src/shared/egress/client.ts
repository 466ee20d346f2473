import type { IncomingMessage } from 'node:http';
import { type BodyRead, readBody } from './body.ts';
import type { Connections, LeaseAgent } from './connections.ts';
import { RedirectCookies } from './cookies.ts';
import { afterRedirect, type EgressError, protocolError, timeoutError } from './egress-error.ts';
import { type Exchange, exchange } from './exchange.ts';
import { asEgressError, type OutcomeLog } from './outcome-log.ts';
import type { TargetPolicy } from './policy.ts';
import { followRedirect, type Hop, isRedirect, tooManyRedirects } from './redirects.ts';
import { joinHeaders, sendableHeaders } from './request-headers.ts';
import { checkTargetText, checkTargetUrl, portOf } from './target-url.ts';
import type { EgressRequest, EgressResponse } from './types.ts';

const defaultMaxRedirects = 20;
const defaultTimeoutMs = 30_000;
const defaultFirstByteTimeoutMs = 10_000;
const defaultMaxBodyBytes = 20 * 1024 * 1024;
// A redirect's body is thrown away; waiting a moment for a short one keeps its connection for the next hop.
const discardTimeoutMs = 50;
/** A body that nobody wants and that says it is larger than this costs its connection. */
const mostDiscardedBytes = 65_536;

export interface ClientParts {
  connections: Connections;
  agent: LeaseAgent;
  policy: TargetPolicy;
  log: OutcomeLog;
}

/** The HTTP client of a lease; the contract is `EgressLease.fetch`. */
export async function fetchTarget(parts: ClientParts, request: EgressRequest): Promise<EgressResponse> {
  const timeoutMs = request.timeoutMs ?? defaultTimeoutMs;
  const stop = new AbortController();
  const limit: Limit = { signal: stop.signal, deadline: null };
  const timer = setTimeout(() => {
    limit.deadline = timeoutError(`The target did not answer completely within ${timeoutMs / 1000} s.`);
    stop.abort(limit.deadline);
  }, timeoutMs);
  const unlinks = [request.signal, parts.connections.signal].map((signal) => linkAbort(signal, stop));
  try {
    stop.signal.throwIfAborted();
    return await fetchUntil(parts, request, limit);
  } finally {
    clearTimeout(timer);
    for (const unlink of unlinks) unlink();
  }
}

interface Limit {
  signal: AbortSignal;
  /** The signal's reason once the request's time has run out. Made then only: an error costs its stack trace. */
  deadline: EgressError | null;
}

async function fetchUntil(parts: ClientParts, request: EgressRequest, limit: Limit): Promise<EgressResponse> {
  const startedAt = performance.now();
  const { url, sent, redirects, timings } = await walkHops(parts, request, limit.signal);
  const headMs = performance.now() - startedAt;
  const { response, connection } = sent;
  const status = response.statusCode ?? 0;
  const headers = joinHeaders(response.rawHeaders);
  const isWanted = request.readBody?.({ status, headers }) ?? true;
  const { body, truncated } = isWanted
    ? await readWithin(parts, url, sent, request, limit)
    : await leaveBody(parts, url, sent);
  const totalMs = performance.now() - startedAt;
  const { certificate } = connection;
  return {
    url: url.href,
    status,
    headers,
    redirects,
    body,
    truncated,
    timings: { ...timings, headMs, totalMs },
    certificate,
  };
}

/** Where the redirects ended, with the body still to be read. */
interface Arrival {
  url: URL;
  sent: Exchange;
  redirects: EgressResponse['redirects'];
  timings: Omit<EgressResponse['timings'], 'headMs' | 'totalMs'>;
}

/** Sends the request, and follows redirects where it says so. */
export async function walkHops(
  parts: ClientParts,
  request: Omit<EgressRequest, 'timeoutMs' | 'readBody'>,
  signal: AbortSignal,
): Promise<Arrival> {
  const maxRedirects = request.maxRedirects ?? defaultMaxRedirects;
  const timings = { dnsMs: 0, connectMs: 0, tlsMs: null as number | null, firstByteMs: 0 };
  const redirects: EgressResponse['redirects'] = [];
  const cookies = request.cookieJar ?? new RedirectCookies();
  let hop = firstHop(parts, request);

  for (;;) {
    const isRedirected = request.isRedirected === true || redirects.length > 0;
    const sent = await sendHop(parts, hop, cookies, request, signal).catch((error: unknown) => {
      throw isRedirected ? afterRedirect(error) : error;
    });
    const { response, connection } = sent;
    if (!sent.isReused) {
      timings.dnsMs += connection.dnsMs;
      timings.connectMs += connection.connectMs;
      if (connection.tlsMs !== null) timings.tlsMs = (timings.tlsMs ?? 0) + connection.tlsMs;
    }
    timings.firstByteMs = sent.firstByteMs;
    const status = response.statusCode ?? 0;
    const { location } = response.headers;
    cookies.store(hop.url, response.headers['set-cookie'] ?? []);
    if (request.redirect === 'manual' || !location || !isRedirect(status)) {
      return { url: hop.url, sent, redirects, timings };
    }

    await discardBody(response);
    logReached(parts, hop.url, sent);
    if (redirects.length >= maxRedirects) throw tooManyRedirects(hop.url, redirects.length);
    const next = followRedirect(hop, status, location, parts);
    redirects.push({ url: hop.url.href, status, location: next.url.href });
    hop = next;
  }
}

function firstHop({ policy, log }: ClientParts, request: Omit<EgressRequest, 'readBody'>): Hop {
  const check = request.isRedirected === true ? checkTargetUrl : checkTargetText;
  const checked = check(request.url, policy);
  if (checked.error) {
    log.failed(checked.host ?? '', checked.port, 'fetch', checked.error);
    throw request.isRedirected === true ? afterRedirect(checked.error) : checked.error;
  }
  return {
    url: checked.url,
    method: request.method ?? 'GET',
    headers: sendableHeaders(request.headers),
    originHeaders: sendableHeaders(request.originHeaders),
    body: request.body ?? null,
    bodyBytes: request.bodyBytes ?? null,
  };
}

async function sendHop(
  parts: ClientParts,
  hop: Hop,
  cookies: RedirectCookies,
  request: Pick<EgressRequest, 'firstByteTimeoutMs'>,
  signal: AbortSignal,
): Promise<Exchange> {
  const headers: Record<string, string> = {
    accept: '*/*',
    'accept-encoding': 'gzip, deflate, br, zstd',
    ...hop.headers,
    ...hop.originHeaders,
  };
  const cookie = cookies.headerFor(hop.url, headers['cookie']);
  if (cookie === null) delete headers['cookie'];
  else headers['cookie'] = cookie;
  try {
    return await exchange(parts.connections, parts.agent, {
      url: hop.url,
      method: hop.method,
      headers,
      body: hop.body,
      bodyBytes: hop.bodyBytes,
      firstByteTimeoutMs: request.firstByteTimeoutMs ?? defaultFirstByteTimeoutMs,
      signal,
    });
  } catch (error) {
    parts.log.failed(hop.url.hostname, portOf(hop.url), 'fetch', asEgressError(error));
    throw error;
  }
}

async function readWithin(
  parts: ClientParts,
  url: URL,
  sent: Exchange,
  request: EgressRequest,
  limit: Limit,
): Promise<BodyRead> {
  const { response } = sent;
  const { signal } = limit;
  const { bodyTimeoutMs } = request;
  const stop = (): void => void response.destroy();
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  const timer = bodyTimeoutMs === undefined ? undefined : setTimeout(stop, bodyTimeoutMs);
  try {
    const read = await readBody(response, {
      maxBytes: request.maxBodyBytes ?? defaultMaxBodyBytes,
      cuts: request.cutsBody,
      onChunk: () => void sent.bytesReceived(),
    });
    // What came before the deadline is worth having; any other end of the lease is not the target's doing.
    const isEnough = read.body.length > 0 || bodyTimeoutMs !== undefined;
    if (signal.aborted && (signal.reason !== limit.deadline || !isEnough)) throw signal.reason;
    if (read.body.length === 0 && sent.hasExcess() && !response.complete) throw unreadableBody(url.hostname);
    logReached(parts, url, sent);
    return { body: read.body, truncated: read.truncated || sent.hasExcess() };
  } catch (error) {
    const bytes = sent.bytesReceived();
    parts.log.failed(url.hostname, portOf(url), 'fetch', asEgressError(error), bytes);
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

function unreadableBody(host: string): EgressError {
  return protocolError(`The body that ${host} sent does not come in chunks, as its Transfer-Encoding says.`);
}

async function leaveBody(parts: ClientParts, url: URL, sent: Exchange): Promise<BodyRead> {
  const { response } = sent;
  if (Number(response.headers['content-length'] ?? 0) > mostDiscardedBytes) response.destroy();
  await discardBody(response);
  logReached(parts, url, sent);
  return { body: Buffer.alloc(0), truncated: false };
}

export function logReached({ log }: ClientParts, url: URL, sent: Exchange): void {
  log.reached(url.hostname, portOf(url), 'fetch', sent.bytesReceived());
}

function discardBody(response: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => response.destroy(), discardTimeoutMs);
    response.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
    response.on('error', () => undefined);
    response.resume();
  });
}

export function linkAbort(from: AbortSignal | undefined, to: AbortController): () => void {
  if (!from) return () => undefined;
  const forward = (): void => to.abort(from.reason);
  if (from.aborted) forward();
  from.addEventListener('abort', forward, { once: true });
  return () => from.removeEventListener('abort', forward);
}
