import type { Duplex } from 'node:stream';
import type { Connection } from './connections.ts';
import { badProxyRequest, EgressError, notAllowed, turnedAway } from './egress-error.ts';
import { asEgressError } from './outcome-log.ts';
import type { ProxyParts } from './proxy-parts.ts';

const idleTimeoutMs = 120_000;

/**
 * Answers `CONNECT authority`: TLS and WebSockets (ws as well as wss) come this way.
 * @throws EgressError before the tunnel stands; afterwards both ends are simply closed.
 */
export async function openTunnel(
  { connections, policy, log, turnAway, traceTarget }: ProxyParts,
  authority: string,
  client: Duplex,
  head: Buffer,
): Promise<void> {
  const target = parseAuthority(authority);
  if (!target) {
    const error = badProxyRequest('CONNECT needs a host and a port, as in example.com:443.');
    log.failed('', 0, 'tunnel', error);
    throw error;
  }
  const { host, port } = target;
  if (turnAway(host, 'tunnel')) throw turnedAway();
  const gone = new AbortController();
  const onGone = (): void => gone.abort(new Error('The client left'));
  const onEnd = (): void => gone.abort(connections.signal.reason);
  client.once('close', onGone);
  connections.signal.addEventListener('abort', onEnd, { once: true });
  let connection: Connection;
  try {
    const reason = policy.refusalOfHost(host, port);
    if (reason) throw notAllowed(reason);
    connection = await traceTarget('CONNECT', target, () =>
      connections.connect({ host, port, tls: false, signal: gone.signal }),
    );
  } catch (cause) {
    const error = asEgressError(cause);
    log.failed(host, port, 'tunnel', error);
    throw error;
  } finally {
    client.removeListener('close', onGone);
    connections.signal.removeEventListener('abort', onEnd);
  }
  joinEnds(connection, client, head, (failure, bytesReceived) => {
    const error = connections.budgetFailure ?? failure;
    if (error) log.failed(host, port, 'tunnel', error, bytesReceived);
    else log.reached(host, port, 'tunnel', bytesReceived);
  });
}

function joinEnds(
  connection: Connection,
  client: Duplex,
  head: Buffer,
  onClosed: (failure: EgressError | null, bytesReceived: number) => void,
): void {
  const upstream = connection.stream;
  let endedByTarget = false;
  let isIdle = false;
  upstream.setTimeout(idleTimeoutMs, () => {
    isIdle = true;
    upstream.destroy();
  });
  upstream.on('data', () => void connection.countReceived());
  upstream.once('end', () => (endedByTarget = true));
  upstream.once('error', () => (endedByTarget = true));
  client.once('close', () => upstream.destroy());
  upstream.once('close', () => {
    // What was already piped must still reach the client.
    if (!client.writableEnded) client.end();
    if (!endedByTarget) client.destroy();
    const late = setTimeout(() => client.destroy(), idleTimeoutMs).unref();
    client.once('close', () => clearTimeout(late));
    const bytes = connection.countReceived();
    if (isIdle && bytes === 0) onClosed(silentTarget('timeout'), bytes);
    else onClosed(endedByTarget && bytes === 0 ? silentTarget('reset') : null, bytes);
  });
  client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
  if (head.length > 0) upstream.write(head);
  client.pipe(upstream);
  upstream.pipe(client);
}

function silentTarget(result: 'timeout' | 'reset'): EgressError {
  return result === 'timeout'
    ? new EgressError('target_timeout', 'The target accepted the connection but sent nothing.', result)
    : new EgressError('target_unreachable', 'The target closed the connection without answering.', result);
}

/** `host:port` with the host in canonical form; null when it is anything else. */
function parseAuthority(authority: string): { host: string; port: number } | null {
  const match = /^(\[[0-9a-f:.]+\]|[^\s/@:?#\\[\]]+):(\d{1,5})$/i.exec(authority);
  const [, name = '', digits = ''] = match ?? [];
  const port = Number(digits);
  if (!match || port < 1 || port > 65_535 || !URL.canParse(`http://${name}/`)) return null;
  return { host: new URL(`http://${name}/`).hostname, port };
}
