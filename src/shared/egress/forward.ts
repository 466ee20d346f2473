import type { IncomingMessage, ServerResponse } from 'node:http';
import { request as httpRequest } from '../node-http.ts';
import { maxHeaderBytes, maxHeaders } from './answer-heads.ts';
import type { Connection, RoutedRequest } from './connections.ts';
import { badProxyRequest, protocolError, timeoutError, turnedAway } from './egress-error.ts';
import { sendError } from './exchange.ts';
import type { ProxyParts } from './proxy-parts.ts';
import { forwardableHeaders } from './request-headers.ts';
import { checkTargetUrl, requestTargetOf } from './target-url.ts';

/** As in a tunnel: who asked knows how long it wants to wait. */
const idleTimeoutMs = 120_000;

/**
 * Passes on one plain-HTTP request in absolute form.
 * @throws EgressError while no response has begun; later failures cut the response off.
 */
export async function forwardRequest(
  parts: ProxyParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { connections, policy, log, turnAway, traceTarget } = parts;
  const text = request.url ?? '';
  if (!/^http:\/\//i.test(text)) {
    const error = badProxyRequest(
      'Send http:// requests in absolute form, and everything else through CONNECT.',
    );
    log.failed('', 0, 'proxy', error);
    throw error;
  }
  const checked = checkTargetUrl(text, policy);
  if (checked.error) {
    log.failed(checked.host ?? '', checked.port, 'proxy', checked.error);
    throw checked.error;
  }
  const { url, host, port } = checked;
  if (turnAway(host, 'request')) throw turnedAway();
  const stop = new AbortController();
  const end = (): void => stop.abort(connections.signal.reason);
  connections.signal.addEventListener('abort', end, { once: true });
  if (connections.signal.aborted) end();
  response.once('close', () => {
    connections.signal.removeEventListener('abort', end);
    stop.abort(clientLeft);
  });
  const relayed: Relayed = { bytesReceived: () => 0 };
  try {
    const target = { url, host, port, signal: stop.signal };
    await traceTarget(request.method ?? 'GET', target, async (span) => {
      while (!(await relay(parts, request, response, target, relayed)));
      span.set({ 'http.response.status_code': response.statusCode });
    });
    log.reached(host, port, 'proxy', relayed.bytesReceived());
  } catch (cause) {
    const error = connections.budgetFailure ?? sendError(host, cause);
    if (cause === clientLeft && error.result !== 'budget') {
      log.reached(host, port, 'proxy', relayed.bytesReceived());
    } else {
      log.failed(host, port, 'proxy', error, relayed.bytesReceived());
    }
    throw error;
  }
}

/** Not the target's failure: nobody waits for the rest any more. */
const clientLeft = new Error('The client left');

interface Relayed {
  bytesReceived: () => number;
}

/** Resolves to false when the request can simply be sent again, on another connection. */
function relay(
  { connections, agent }: ProxyParts,
  request: IncomingMessage,
  response: ServerResponse,
  target: { url: URL; host: string; port: number; signal: AbortSignal },
  relayed: Relayed,
): Promise<boolean> {
  const { url, host, port, signal } = target;
  const headers = forwardableHeaders(request.rawHeaders, ['host', 'expect']);
  headers.unshift('Host', url.host);
  const isChunked = request.headers['transfer-encoding'] !== undefined;
  const hasBody = isChunked || request.headers['content-length'] !== undefined;
  if (isChunked) headers.push('Transfer-Encoding', 'chunked');
  const options: RoutedRequest = {
    agent,
    method: request.method ?? 'GET',
    path: requestTargetOf(url),
    headers,
    maxHeaderSize: maxHeaderBytes,
    insecureHTTPParser: true,
    route: { host, port, tls: false, signal },
  };
  return new Promise((resolve, reject) => {
    const upstream = httpRequest(options);
    upstream.maxHeadersCount = maxHeaders + 1;
    let connection: Connection | undefined;
    let hasResponse = false;
    const timer = setTimeout(() => {
      upstream.destroy(timeoutError(`${host} sent no response headers within ${idleTimeoutMs / 1000} s.`));
    }, idleTimeoutMs);
    const fail = (cause: unknown): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      // The target may close an idle connection just as it is used again (RFC 9110, section 9.2.2).
      const isStale = upstream.reusedSocket && !hasResponse && sendError(host, cause).result === 'reset';
      if (isStale && !hasBody && !signal.aborted) resolve(false);
      else reject(signal.aborted ? signal.reason : cause);
    };
    const stop = (): void => void upstream.destroy();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) upstream.destroy();
    upstream.once('socket', (stream) => {
      connection = connections.of(stream);
      connection?.heads.expect();
      const before = upstream.reusedSocket ? (connection?.countReceived() ?? 0) : 0;
      relayed.bytesReceived = () => (connection?.countReceived() ?? before) - before;
    });
    upstream.once('upgrade', (_incoming, stream) => {
      stream.destroy();
      fail(protocolError(`${host} switched to another protocol although nobody asked for it.`));
    });
    upstream.on('error', fail);
    upstream.once('close', () => {
      if (!hasResponse) fail(new Error('Closed without a response'));
    });
    upstream.once('response', (incoming) => {
      hasResponse = true;
      clearTimeout(timer);
      incoming.on('data', () => void connection?.countReceived());
      incoming.on('error', fail);
      incoming.setTimeout(idleTimeoutMs, () => incoming.destroy(timeoutError(`${host} stopped sending.`)));
      response.sendDate = false;
      response.once('finish', () => resolve(true));
      response.once('close', () => fail(clientLeft));
      if (incoming.statusCode === 407) {
        incoming.destroy();
        // Chromium would take it for an answer of this proxy, and forget the credential.
        return fail(protocolError(`${host} answered 407, as only a proxy does.`));
      }
      try {
        response.writeHead(incoming.statusCode ?? 502, forwardableHeaders(incoming.rawHeaders));
      } catch (cause) {
        incoming.destroy();
        return fail(protocolError(`${host} answered with headers that cannot be passed on.`, cause));
      }
      incoming.pipe(response);
    });
    if (!hasBody) return void upstream.end();
    request.on('error', () => upstream.destroy());
    request.pipe(upstream);
  });
}
