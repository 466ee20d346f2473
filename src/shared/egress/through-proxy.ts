import type { IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { request as httpRequest } from '../node-http.ts';
import { EgressError, notAllowedByProxy, proxyError, timeoutError } from './egress-error.ts';
import { secureSocket } from './tls.ts';
import type { UpstreamProxy } from './upstream-proxies.ts';

const answerTimeoutMs = 15_000;

/** What a proxy is asked to connect to; `host` is a name, or an address without brackets. */
export interface ProxyTarget {
  host: string;
  port: number;
}

/**
 * Has a proxy that `socket` is connected to connect on to the target; what the socket then carries is the target's.
 * @throws EgressError `egress_proxy_failed` where it is the proxy's failure, `target_unreachable` or `url_not_allowed` where
 * it says so of the target; or the signal's reason.
 */
export async function askProxy(
  socket: Socket,
  proxy: UpstreamProxy,
  target: ProxyTarget,
  signal: AbortSignal,
): Promise<Socket> {
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  const onAbort = (): void => failed.reject(signal.reason);
  const onClose = (cause?: Error): void =>
    failed.reject(proxyError(proxy, 'closed the connection before it had answered', cause));
  const timer = setTimeout(() => {
    failed.reject(proxyError(proxy, `did not answer within ${answerTimeoutMs / 1000} s`));
  }, answerTimeoutMs);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  socket.on('error', onClose).once('close', onClose);
  try {
    const asked = negotiate(socket, proxy, target, signal);
    return await Promise.race([asked, failed.promise]);
  } catch (error) {
    socket.on('error', () => undefined);
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    socket.removeListener('error', onClose).removeListener('close', onClose);
  }
}

async function negotiate(
  socket: Socket,
  proxy: UpstreamProxy,
  target: ProxyTarget,
  signal: AbortSignal,
): Promise<Socket> {
  if (proxy.protocol === 'socks5:') return await negotiateSocks(socket, proxy, target);
  if (proxy.protocol === 'http:') return await askConnect(socket, proxy, target);
  const host = isIP(proxy.host) === 6 ? `[${proxy.host}]` : proxy.host;
  const secured = await secureSocket(socket, host, { verify: true, signal }).catch((error: unknown) => {
    if (!(error instanceof EgressError)) throw error;
    throw proxyError(proxy, `cannot be spoken to over TLS (${error.detail})`, error);
  });
  return await askConnect(secured, proxy, target);
}

/** `CONNECT`, also for plain http: a proxy that is sent the request itself resolves the name once more, by itself. */
function askConnect(socket: Socket, proxy: UpstreamProxy, { host, port }: ProxyTarget): Promise<Socket> {
  const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const { credentials } = proxy;
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      method: 'CONNECT',
      path: authority,
      headers: {
        host: authority,
        ...(credentials && { 'proxy-authorization': basicOf(credentials) }),
      },
      createConnection: () => socket,
      insecureHTTPParser: false,
    });
    request.once('connect', (response, _socket, head) => {
      const failure = failureOfAnswer(proxy, { host, port }, response);
      if (failure) return reject(failure);
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    request.once('error', (cause) =>
      reject(proxyError(proxy, 'did not answer CONNECT as an HTTP proxy does', cause)),
    );
    request.end();
  });
}

function basicOf({ username, password }: NonNullable<UpstreamProxy['credentials']>): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

function failureOfAnswer(
  proxy: UpstreamProxy,
  target: ProxyTarget,
  { statusCode: status = 0 }: IncomingMessage,
): EgressError | null {
  if (status >= 200 && status < 300) return null;
  if (status === 407) return proxyError(proxy, 'does not accept the credentials that it was given');
  if (status === 403 || status === 451) return notAllowedByProxy();
  if (status === 504) return timeoutError(`${target.host} did not answer the proxy that was to reach it.`);
  if (status === 502 || status === 503) return notReachedByProxy(target, `answered ${status}`);
  return proxyError(proxy, `answered CONNECT with ${status}`);
}

async function negotiateSocks(socket: Socket, proxy: UpstreamProxy, target: ProxyTarget): Promise<Socket> {
  // Only who has set such a proxy pays for it.
  const { SocksClient } = await import('socks');
  const { credentials } = proxy;
  try {
    await SocksClient.createConnection({
      command: 'connect',
      proxy: {
        host: proxy.host,
        port: proxy.port,
        type: 5,
        ...(credentials && { userId: credentials.username, password: credentials.password }),
      },
      destination: target,
      existing_socket: socket,
      timeout: answerTimeoutMs,
    });
    return socket;
  } catch (cause) {
    throw failureOfSocks(proxy, target, cause as Error);
  }
}

/** The library tells the replies of RFC 1928 (section 6) by their names in its messages. */
function failureOfSocks(proxy: UpstreamProxy, target: ProxyTarget, cause: Error): EgressError {
  const { message } = cause;
  const reply = /rejected connection - (\w+)$/i.exec(message)?.[1];
  if (reply === 'NotAllowed') return notAllowedByProxy();
  if (reply === 'TTLExpired')
    return timeoutError(`${target.host} did not answer the proxy that was to reach it.`);
  if (['Failure', 'NetworkUnreachable', 'HostUnreachable', 'ConnectionRefused'].includes(reply ?? ''))
    return notReachedByProxy(target, `answered ${reply}`);
  if (/authentication/i.test(message))
    return proxyError(proxy, 'does not accept the credentials that it was given', cause);
  return proxyError(proxy, 'does not speak SOCKS5', cause);
}

function notReachedByProxy({ host, port }: ProxyTarget, how: string): EgressError {
  const detail = `${host}:${port} could not be reached by the proxy that requests to it take (it ${how}). Check that the site is up.`;
  return new EgressError('target_unreachable', detail, 'connect');
}
