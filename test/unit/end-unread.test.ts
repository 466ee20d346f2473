import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import Koa from 'koa';
import { expect, test } from 'vitest';
import { endUnread } from '../../src/api/http/end-unread.ts';

test('who takes nothing of an answer is gone after a while, who waits for one is not', async () => {
  const idleMs = 1_000;
  const app = new Koa();
  app.use(endUnread(idleMs));
  app.use(async (ctx) => {
    if (ctx.path === '/slow') await sleep(1.5 * idleMs);
    ctx.body = ctx.path === '/slow' ? 'there' : Buffer.alloc(64 * 1024 * 1024);
  });
  await using disposables = new AsyncDisposableStack();
  const server = disposables.adopt(createServer(app.callback()), (it) => void it.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const ask = async (path: string) => {
    const socket = disposables.adopt(connect(port, '127.0.0.1'), (it) => void it.destroy());
    await once(socket, 'connect');
    const [taken] = (await Promise.all([
      once(server, 'request'),
      socket.write(`GET ${path} HTTP/1.1\r\nHost: it\r\n\r\nGET /slow HTTP/1.1\r\nHost: it\r\n\r\n`),
    ])) as [[{ socket: typeof socket }], boolean];
    return { socket, taken: taken[0].socket };
  };
  const unread = await ask('/large');
  await expect.poll(() => unread.taken.destroyed).toBe(true);
  // Twice, the second behind the first.
  const { socket } = await ask('/slow');
  let text = '';
  socket.on('data', (part) => (text += part.toString()));
  await expect.poll(() => text.match(/there/g)).toHaveLength(2);
});
