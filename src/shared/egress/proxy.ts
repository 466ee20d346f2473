import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { badProxyRequest, type EgressError } from './egress-error.ts';
import { maxHeaderBytes } from './answer-heads.ts';
import { forwardRequest } from './forward.ts';
import { asEgressError, type OutcomeLog } from './outcome-log.ts';
import type { TargetPolicy } from './policy.ts';
import type { ProxyParts } from './proxy-parts.ts';
import { openTunnel } from './tunnel.ts';
import type { WaitingProxy } from './types.ts';

const defaultHeadersTimeoutMs = 10_000;
const requestTimeoutMs = 120_000;
const keepAliveTimeoutMs = 60_000;

export interface Proxy extends WaitingProxy {
  readonly port: number;
  /** From now on it is one lease's: who knows its port holds the lease. Called once. */
  serve(parts: ProxyParts): void;
}

export interface ProxyOptions {
  policy: TargetPolicy;
  /** Default 10,000. */
  headersTimeoutMs?: number | undefined;
}

/** A forward proxy on loopback for one lease. Whoever connects before it has one is not answered. */
export async function startProxy({ policy, headersTimeoutMs }: ProxyOptions): Promise<Proxy> {
  const headersTimeout = headersTimeoutMs ?? defaultHeadersTimeoutMs;
  const sockets = new Set<Socket>();
  const server = createServer({
    insecureHTTPParser: false,
    requireHostHeader: false,
    maxHeaderSize: maxHeaderBytes,
    headersTimeout,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    // How often Node looks for headers that are late; its default is 30 s.
    connectionsCheckingInterval: Math.min(1_000, headersTimeout / 2),
    noDelay: true,
  });
  let isServing = false;
  server.on('connection', (socket: Socket) => {
    if (!isServing) return void socket.destroy();
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  policy.ownPorts.add(port);
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    serve(parts) {
      isServing = true;
      serve(server, parts);
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => {
          policy.ownPorts.delete(port);
          resolve();
        });
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function serve(server: Server, parts: ProxyParts): void {
  server.on('connect', (request: IncomingMessage, client: Duplex, head: Buffer) => {
    void openTunnel(parts, request.url ?? '', client, head).catch((error: unknown) => {
      refuseRaw(client, asEgressError(error));
    });
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    void forwardRequest(parts, request, response).catch((error: unknown) => {
      refuse(response, asEgressError(error));
    });
  });
  server.on('upgrade', (_request: IncomingMessage, client: Duplex) => {
    refuseRaw(client, logProtocol(parts.log, 'Upgrades pass through a CONNECT tunnel only.'));
  });
  server.on('clientError', (cause: NodeJS.ErrnoException, client: Duplex) => {
    if (cause.code === 'ECONNRESET' || !client.writable) return void client.destroy();
    refuseRaw(
      client,
      logProtocol(parts.log, 'The request is not well-formed HTTP/1.1, or its headers came too slowly.'),
    );
  });
}

function logProtocol(log: OutcomeLog, detail: string): EgressError {
  const error = badProxyRequest(detail);
  log.failed('', 0, 'proxy', error);
  return error;
}

function refuse(response: ServerResponse, error: EgressError): void {
  if (response.headersSent) return void response.destroy();
  const body = `${error.detail}\n`;
  response.writeHead(error.status, {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'x-egress-refused': error.reason ?? error.result,
  });
  response.end(body);
}

function refuseRaw(client: Duplex, error: EgressError): void {
  if (!client.writable) return void client.destroy();
  const body = `${error.detail}\n`;
  client.end(
    `HTTP/1.1 ${error.status} Refused\r\ncontent-type: text/plain; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nx-egress-refused: ${error.reason ?? error.result}\r\n` +
      `connection: close\r\n\r\n${body}`,
  );
  // A client that never reads its refusal must not keep the socket.
  client.once('finish', () => client.destroy());
}
