import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import Koa from 'koa';
import { expect, test } from 'vitest';
import type { ApiDeps } from '../../src/api/deps.ts';
import { eventsPath } from '../../src/api/feed/events-path.ts';
import type { Feed } from '../../src/api/feed/feed.ts';
import { serveWebSocket } from '../../src/api/feed/serve-websocket.ts';
import type { ApiState } from '../../src/api/http/context.ts';
import { createUserGate } from '../../src/api/user-gate.ts';
import { createLog } from '../../src/shared/log.ts';

test('a WebSocket that leaves while others of its network are identified is not identified', async () => {
  const over = Promise.withResolvers<void>();
  let asked = 0;
  const auth = {
    $context: Promise.resolve({ authCookies: { sessionToken: { name: 'session' } } }),
    api: {
      async getSession() {
        asked++;
        await over.promise;
        return { headers: new Headers(), response: null };
      },
    },
  };
  const log = createLog({ level: 'silent', name: 'test' });
  const deps = { auth, config: {}, findClientAddress: () => '192.0.2.1', gate: createUserGate(), log };
  await using disposables = new AsyncDisposableStack();
  const server = disposables.adopt(createServer(), (it) => void it.close());
  disposables.use(serveWebSocket(server, new Koa<ApiState>(), deps as unknown as ApiDeps, {} as Feed));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  async function open() {
    const socket = disposables.adopt(connect(port, '127.0.0.1'), (it) => void it.destroy());
    socket.write(
      `GET ${eventsPath} HTTP/1.1\r\nHost: it\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nCookie: session=x\r\n\r\n`,
    );
    const [, taken] = (await once(server, 'upgrade')) as [unknown, Duplex];
    return { socket, taken };
  }
  for (let n = 0; n < 8; n++) await open();
  await expect.poll(() => asked).toBe(8);
  const leaving = await open();
  const staying = await open();
  leaving.socket.destroy();
  await once(leaving.taken, 'end');
  over.resolve();
  expect(String(await once(staying.socket, 'data'))).toContain('401');
  expect(asked).toBe(9);
});
