import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { createEgressDoor, type EgressDoorOptions } from '../../src/shared/egress/door.ts';
import { EgressError } from '../../src/shared/egress/egress-error.ts';
import type { EgressDoor, ProxyAddress } from '../../src/shared/egress/types.ts';

export interface Origin extends AsyncDisposable {
  url: string;
  port: number;
  /** Connections accepted so far. */
  connections: number;
}

/** A web server on loopback. */
export function startOrigin(handler: RequestListener): Promise<Origin> {
  const server = createServer({ keepAliveTimeout: 60_000 }, handler);
  return listen(server);
}

/** A server on loopback that speaks whatever `onSocket` writes. */
export function startRawOrigin(onSocket: (socket: Socket) => void): Promise<Origin> {
  return listen(createTcpServer(onSocket));
}

/** A server that answers the first bytes of each connection with `answer`, and closes it. */
export function startCannedOrigin(answer: string | Buffer): Promise<Origin> {
  return startRawOrigin((socket) => {
    socket.once('data', () => socket.end(answer));
  });
}

/** A door whose allow list opens 127.0.0.1 and for which every name leads there. */
export function openLoopbackDoor(options: Partial<EgressDoorOptions> = {}): EgressDoor {
  return createEgressDoor({ allow: ['127.0.0.1'], resolve: async () => ['127.0.0.1'], ...options });
}

/** The header by which a request to a lease's proxy brings its credential. */
export function authorizationOf({ username, password }: ProxyAddress): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

/** A request as text, with the credential of the proxy that it goes to. */
export function signed(proxy: ProxyAddress, text: string): string {
  return text.replace('\r\n', `\r\nProxy-Authorization: ${authorizationOf(proxy)}\r\n`);
}

/** What the promise is refused with. @throws Error when it is kept. */
export async function failureOf(promise: Promise<unknown>): Promise<EgressError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof EgressError) return error;
    throw error;
  }
  throw new Error('It did not fail');
}

export async function listen(server: ReturnType<typeof createTcpServer>): Promise<Origin> {
  const sockets = new Set<Socket>();
  const origin: Origin = {
    url: '',
    port: 0,
    connections: 0,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
  server.on('connection', (socket: Socket) => {
    origin.connections++;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin.port = (server.address() as AddressInfo).port;
  origin.url = `http://127.0.0.1:${origin.port}/`;
  return origin;
}
