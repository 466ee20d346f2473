import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import Koa from 'koa';
import { expect, test } from 'vitest';
import type { ApiState } from '../../src/api/http/context.ts';
import { endUnread } from '../../src/api/http/end-unread.ts';
import { createUnreadAnswers } from '../../src/api/http/unread-answers.ts';

const mebibyte = 1024 ** 2;

test('who takes nothing of an answer is gone after a while, who waits for one is not', async () => {
  const idleMs = 1_000;
  const app = new Koa<ApiState>();
  app.use(endUnread(() => 'all', { idleMs }));
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

test('answers that nobody takes hold so much of one user, and that of others stays', async () => {
  const bounds = { ofOwner: 150 * mebibyte, inAll: 500 * mebibyte, lookEveryMs: 100 };
  // More than the system itself takes off our hands.
  const body = Buffer.alloc(32 * mebibyte);
  const app = new Koa<ApiState>();
  app.use(endUnread((ctx) => ctx.path, { answers: createUnreadAnswers(bounds) }));
  app.use(async (ctx) => {
    ctx.body = body;
  });
  await using disposables = new AsyncDisposableStack();
  const server = disposables.adopt(createServer(app.callback()), (it) => void it.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const open = new Map<string, number>();
  let asked = 0;
  server.on('request', ({ url = '' }, response) => {
    asked++;
    open.set(url, (open.get(url) ?? 0) + 1);
    response.once('close', () => open.set(url, (open.get(url) ?? 0) - 1));
  });
  const ask = (path: string) => {
    const socket = disposables.adopt(connect(port, '127.0.0.1'), (it) => void it.destroy());
    socket.on('error', () => undefined);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: it\r\n\r\n`);
    return socket;
  };
  ask('/other');
  for (let n = 0; n < 30; n++) ask('/one');
  await expect.poll(() => asked).toBe(31);
  await expect.poll(() => open.get('/one')).toBeLessThan(10);
  expect(open.get('/one')).toBeGreaterThan(0);
  expect(open.get('/other')).toBe(1);
  // Who reads gets all of it, also of the same user.
  let bytes = 0;
  ask('/one').on('data', (part) => (bytes += part.length));
  await expect.poll(() => bytes).toBeGreaterThan(body.length);
});
