import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createServer } from '../node-http.ts';
import { badProxyRequest, type EgressError } from './egress-error.ts';
import { maxHeaderBytes } from './answer-heads.ts';
import { forwardRequest } from './forward.ts';
import { asEgressError, type OutcomeLog } from './outcome-log.ts';
import type { TargetPolicy } from './policy.ts';
import { createCredential } from './proxy-credential.ts';
import type { ProxyParts } from './proxy-parts.ts';
import { openTunnel } from './tunnel.ts';
import type { WaitingProxy } from './types.ts';

const defaultHeadersTimeoutMs = 10_000;
const requestTimeoutMs = 120_000;
const keepAliveTimeoutMs = 60_000;

export interface Proxy extends WaitingProxy {
  readonly port: number;
  /** From now on it is one lease's: who knows its credential holds the lease. Called once. */
  serve(parts: ProxyParts): void;
}

export interface ProxyOptions {
  policy: TargetPolicy;
  /** Default 10,000. */
  headersTimeoutMs?: number | undefined;
}

/** A forward proxy on loopback for one lease. Before it has one it answers its `signInUrl` only. */
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
  const credential = createCredential();
  const { username, password } = credential;
  const signInUrl = `http://${randomBytes(8).toString('hex')}.invalid/`;
  let parts: ProxyParts | null = null;
  /** Connections that have shown the credential. */
  const signedIn = new WeakSet<Duplex>();
  server.on('connect', (request: IncomingMessage, client: Duplex, head: Buffer) => {
    if (!credential.isIn(request)) challengeRaw(client);
    else if (parts === null) client.destroy();
    else tunnel(parts, request, client, head);
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!credential.isIn(request)) return challenge(request, response);
    signedIn.add(request.socket);
    if (request.url === signInUrl) response.writeHead(204).end();
    else if (parts === null) response.destroy();
    else forward(parts, request, response);
  });
  server.on('upgrade', (request: IncomingMessage, client: Duplex) => {
    if (!credential.isIn(request)) challengeRaw(client);
    else if (parts === null) client.destroy();
    else refuseRaw(client, logProtocol(parts.log, 'Upgrades pass through a CONNECT tunnel only.'));
  });
  server.on('clientError', (cause: NodeJS.ErrnoException & { rawPacket?: Buffer }, client: Duplex) => {
    if (parts === null || cause.code === 'ECONNRESET' || !client.writable) return void client.destroy();
    const detail = 'The request is not well-formed HTTP/1.1, or its headers came too slowly.';
    const isKnown = signedIn.has(client) || credential.isAmong(cause.rawPacket ?? Buffer.alloc(0));
    // Nothing that a stranger sends is for the lease's record.
    refuseRaw(client, isKnown ? logProtocol(parts.log, detail) : badProxyRequest(detail));
  });
  server.on('connection', (socket: Socket) => {
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
    username,
    password,
    signInUrl,
    serve(own) {
      parts = own;
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

function tunnel(parts: ProxyParts, { url = '' }: IncomingMessage, client: Duplex, head: Buffer): void {
  void openTunnel(parts, url, client, head).catch((error: unknown) => {
    refuseRaw(client, asEgressError(error));
  });
}

function forward(parts: ProxyParts, request: IncomingMessage, response: ServerResponse): void {
  void forwardRequest(parts, request, response).catch((error: unknown) => {
    refuse(response, asEgressError(error));
  });
}

const asksForCredential = { 'proxy-authenticate': 'Basic realm="lease"', 'content-length': 0 };

function challenge({ headers }: IncomingMessage, response: ServerResponse): void {
  const start = /^bytes=([1-9]\d*)-/.exec(headers.range ?? '')?.[1];
  // ffmpeg asks again from where an answer says that it begins, from the start where that is not said.
  const range = start === undefined ? {} : { 'content-range': `bytes ${start}-${start}/*` };
  response.writeHead(407, { ...asksForCredential, ...range }).end();
}

function challengeRaw(client: Duplex): void {
  const lines = Object.entries(asksForCredential).map(([name, value]) => `${name}: ${value}\r\n`);
  endRaw(client, `HTTP/1.1 407 Proxy Authentication Required\r\n${lines.join('')}connection: close\r\n\r\n`);
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
  const body = `${error.detail}\n`;
  endRaw(
    client,
    `HTTP/1.1 ${error.status} Refused\r\ncontent-type: text/plain; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nx-egress-refused: ${error.reason ?? error.result}\r\n` +
      `connection: close\r\n\r\n${body}`,
  );
}

function endRaw(client: Duplex, answer: string): void {
  if (!client.writable) return void client.destroy();
  client.end(answer);
  // A client that never reads its answer must not keep the socket.
  client.once('finish', () => client.destroy());
}
