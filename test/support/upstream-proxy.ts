import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect, createServer as createTcpServer, isIPv6, type Socket } from 'node:net';
import { testKey } from './egress-certificates.ts';
import { listen, type Origin } from './egress-origin.ts';

/** A forward proxy on loopback, to which every name and address is 127.0.0.1. */
export interface UpstreamProxyServer extends Origin {
  /** `host:port`, as it was asked. */
  asked: string[];
}

export interface UpstreamProxyOptions {
  /** `user:password`, without which it refuses. */
  credentials?: string;
  /** In place of connecting on: an HTTP status, or a reply of SOCKS5. */
  answer?: number;
  /** Given: it is spoken to over TLS. */
  certificate?: string;
}

/** `CONNECT` of HTTP (RFC 9110, section 9.3.6). */
export async function startConnectProxy(options: UpstreamProxyOptions = {}): Promise<UpstreamProxyServer> {
  const { credentials, answer, certificate } = options;
  const asked: string[] = [];
  const server = certificate ? createHttpsServer({ key: testKey, cert: certificate }) : createHttpServer();
  server.on('connect', (request: IncomingMessage, client: Socket, head: Buffer): void => {
    client.on('error', () => client.destroy());
    const authority = request.url ?? '';
    const expected = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`;
    if (request.headers['proxy-authorization'] !== expected)
      return void client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    asked.push(authority);
    if (answer !== undefined) return void client.end(`HTTP/1.1 ${answer} No\r\n\r\n`);
    const target = connect(Number(authority.split(':').at(-1)), '127.0.0.1');
    target.once('connect', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      target.write(head);
      joinEnds(client, target);
    });
    target.on('error', () => client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
  });
  return Object.assign(await listen(server), { asked });
}

/** SOCKS5 (RFC 1928) with user name and password (RFC 1929). */
export async function startSocksProxy(options: UpstreamProxyOptions = {}): Promise<UpstreamProxyServer> {
  const asked: string[] = [];
  const server = createTcpServer((client) => {
    client.on('error', () => client.destroy());
    void serveSocks(client, options, asked).catch(() => client.destroy());
  });
  return Object.assign(await listen(server), { asked });
}

async function serveSocks(
  client: Socket,
  { credentials, answer }: UpstreamProxyOptions,
  asked: string[],
): Promise<unknown> {
  const read = (size: number) => readExactly(client, size);
  const [, methods = 0] = await read(2);
  const offered = [...(await read(methods))];
  const wanted = credentials === undefined ? 0 : 2;
  if (!offered.includes(wanted)) return client.end(Buffer.from([5, 0xff]));
  client.write(Buffer.from([5, wanted]));
  if (credentials !== undefined) {
    const name = await read((await read(2)).at(1) ?? 0);
    const password = await read((await read(1)).at(0) ?? 0);
    const isRight = `${name.toString()}:${password.toString()}` === credentials;
    client.write(Buffer.from([1, isRight ? 0 : 1]));
    if (!isRight) return client.end();
  }
  const kind = (await read(4)).at(3);
  const length = kind === 3 ? ((await read(1)).at(0) ?? 0) : kind === 4 ? 16 : 4;
  const bytes = await read(length);
  const host = kind === 3 ? bytes.toString() : hostOf(bytes);
  const port = (await read(2)).readUInt16BE();
  asked.push(`${host}:${port}`);
  const reply = (code: number) => Buffer.from([5, code, 0, 1, 127, 0, 0, 1, 0, 0]);
  if (answer !== undefined) return client.end(reply(answer));
  const target = connect(port, '127.0.0.1');
  target.on('error', () => client.end(reply(5)));
  return target.once('connect', () => {
    client.write(reply(0));
    joinEnds(client, target);
  });
}

function hostOf(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join('.');
  const host = Array.from({ length: 8 }, (_, at) => bytes.readUInt16BE(2 * at).toString(16)).join(':');
  return isIPv6(host) ? `[${host}]` : host;
}

async function readExactly(socket: Socket, size: number): Promise<Buffer> {
  for (;;) {
    if (size === 0) return Buffer.alloc(0);
    const bytes = socket.read(size) as Buffer | null;
    if (bytes !== null) return bytes;
    if (socket.readableEnded || socket.destroyed) throw new Error('The client left');
    await once(socket, 'readable');
  }
}

/** Where one side is gone, the other is cut off, as when the proxy itself dies. */
function joinEnds(client: Socket, target: Socket): void {
  client.pipe(target);
  target.pipe(client);
  client.once('close', () => target.destroy());
  target.once('close', () => client.end());
}
