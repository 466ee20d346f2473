import { once } from 'node:events';
import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import Koa from 'koa';
import { expect, test, vi } from 'vitest';
import type { ApiState } from '../../src/api/http/context.ts';
import { endUnread } from '../../src/api/http/end-unread.ts';
import { createUnreadAnswers } from '../../src/api/http/unread-answers.ts';

const mebibyte = 1024 ** 2;
const boundless = { ofOwner: Infinity, inAll: Infinity };

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
  const stalled = { ofOwner: 150 * mebibyte, inAll: 500 * mebibyte };
  const bounds = { stalled, most: boundless, sampleEveryMs: 100, stalledSamples: 3 };
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

test('answers that wait behind a slow one of their connection are let go too', async () => {
  const stalled = { ofOwner: 4 * mebibyte, inAll: 500 * mebibyte };
  const bounds = { stalled, most: boundless, sampleEveryMs: 100, stalledSamples: 3 };
  const app = new Koa<ApiState>();
  app.use(endUnread(() => 'one', { answers: createUnreadAnswers(bounds) }));
  let asked = 0;
  app.use(async (ctx) => {
    if (ctx.path === '/slow') await new Promise(() => undefined);
    // Each as large as the others, whatever Koa makes of it.
    ctx.body = asked++ % 2 === 0 ? Buffer.alloc(300 * 1024) : { text: 'x'.repeat(300 * 1024) };
  });
  await using disposables = new AsyncDisposableStack();
  const server = disposables.adopt(createServer(app.callback()), (it) => void it.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const responses: ServerResponse[] = [];
  server.on('request', (_, response) => responses.push(response));
  const held = () =>
    responses
      .filter((response) => !response.req.socket.destroyed)
      .reduce((bytes, response) => bytes + response.writableLength, 0);
  const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: it\r\n\r\n`;
  for (let n = 0; n < 4; n++) {
    const socket = disposables.adopt(connect(port, '127.0.0.1'), (it) => void it.destroy());
    socket.on('error', () => undefined);
    socket.write(request('/slow') + request('/').repeat(10));
  }
  await expect.poll(() => responses.length).toBe(44);
  await expect.poll(held).toBeLessThanOrEqual(stalled.ofOwner);
  // No more connections than it takes.
  expect(held()).toBeGreaterThan(0);
});

test('who reads fast keeps all downloads, many times what stalled ones may hold', async () => {
  const stalled = { ofOwner: mebibyte, inAll: mebibyte };
  const bounds = { stalled, most: boundless, sampleEveryMs: 50, stalledSamples: 20 };
  const body = Buffer.alloc(24 * mebibyte);
  const app = new Koa<ApiState>();
  app.use(endUnread(() => 'one', { answers: createUnreadAnswers(bounds) }));
  app.use(async (ctx) => {
    // One in two is read as it is sent.
    ctx.body =
      ctx.path === '/stream' ? Readable.from(Array.from({ length: 24 }, () => Buffer.alloc(mebibyte))) : body;
  });
  await using disposables = new AsyncDisposableStack();
  const server = disposables.adopt(createServer(app.callback()), (it) => void it.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  let most = 0;
  const responses: ServerResponse[] = [];
  server.on('request', (_, response) => responses.push(response));
  const download = async (path: string): Promise<number> => {
    const socket = disposables.adopt(connect(port, '127.0.0.1'), (it) => void it.destroy());
    socket.write(`GET ${path} HTTP/1.1\r\nHost: it\r\nConnection: close\r\n\r\n`);
    let bytes = 0;
    let rest = mebibyte;
    for await (const part of socket as AsyncIterable<Buffer>) {
      bytes += part.length;
      rest -= part.length;
      if (rest > 0) continue;
      // A mebibyte at a time.
      most = Math.max(
        most,
        responses.reduce((sum, response) => sum + response.writableLength, 0),
      );
      await sleep(50);
      rest = mebibyte;
    }
    return bytes;
  };
  const got = await Promise.all(Array.from({ length: 12 }, (_, n) => download(n % 2 ? '/file' : '/stream')));
  expect(got.filter((bytes) => bytes < body.length)).toEqual([]);
  expect(most).toBeGreaterThan(10 * stalled.ofOwner);
});

test('answers that are read slowly are bounded too, and make room for those that are read fast', async () => {
  const most = { ofOwner: 80 * mebibyte, inAll: 500 * mebibyte };
  const bounds = { stalled: boundless, most, sampleEveryMs: 100, stalledSamples: 1_000 };
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
  const responses: ServerResponse[] = [];
  server.on('request', (_, response) => responses.push(response));
  const held = () => responses.reduce((bytes, response) => bytes + response.writableLength, 0);
  /** How many bytes came, of which so many are taken at a time. */
  const download = async (path: string, atOnce: number): Promise<number> => {
    const socket = disposables.adopt(connect(port, '127.0.0.1'), (it) => void it.destroy());
    socket.write(`GET ${path} HTTP/1.1\r\nHost: it\r\nConnection: close\r\n\r\n`);
    let bytes = 0;
    let rest = atOnce;
    try {
      for await (const part of socket as AsyncIterable<Buffer>) {
        bytes += part.length;
        rest -= part.length;
        if (rest > 0) continue;
        await sleep(50);
        rest = atOnce;
      }
    } catch {
      // The server has ended it.
    }
    return bytes;
  };
  const slow = Array.from({ length: 2 }, () => download('/one', 1));
  const other = download('/other', 1);
  await expect.poll(() => responses.length).toBe(3);
  await sleep(10 * bounds.sampleEveryMs);
  expect(responses.filter(({ destroyed }) => destroyed)).toEqual([]);
  const fast = await Promise.all([download('/one', 2 * mebibyte), download('/one', 2 * mebibyte)]);
  expect(Math.min(...fast)).toBeGreaterThan(body.length);
  expect(await Promise.race(slow)).toBeLessThan(body.length);
  expect(held()).toBeLessThanOrEqual(most.ofOwner + body.length);
  // Of another user nothing is ended.
  expect(await Promise.race([other, sleep(10, 'open')])).toBe('open');
});

/** Opens answers of 100 KB to clients that take so many bytes of it at a time; time is ours. */
function openOnPurpose(mostOfOwner: number) {
  vi.useFakeTimers();
  const most = { ofOwner: mostOfOwner, inAll: Infinity };
  const answers = createUnreadAnswers({
    stalled: boundless,
    most,
    sampleEveryMs: 1_000,
    stalledSamples: 1_000,
  });
  return {
    open(owner: string, bytes: number, everyMs = 1_000): Socket {
      const handle = { bytesWritten: 0, writeQueueSize: 0, close: () => clearInterval(reading) };
      const reading = setInterval(() => (handle.bytesWritten += bytes), everyMs);
      const socket = Object.assign(new Socket(), { _handle: handle });
      const response = new ServerResponse(new IncomingMessage(socket));
      response.end(Buffer.alloc(100 * 1024));
      answers.watch(response, owner);
      return socket;
    },
    [Symbol.dispose]: () => void vi.useRealTimers(),
  };
}

test('an answer of which too little was seen is not ended before those that are known to be slow', () => {
  using clients = openOnPurpose(250 * 1024);
  const { open } = clients;
  const destroyed = (sockets: Socket[]) => sockets.map((socket) => socket.destroyed);
  const slow = [open('one', 2_000), open('one', 1_000)];
  vi.advanceTimersByTime(3_500);
  expect(destroyed(slow)).toEqual([false, false]);
  const fast = open('one', 50_000);
  vi.advanceTimersByTime(600);
  expect(destroyed([...slow, fast])).toEqual([false, true, false]);
  vi.advanceTimersByTime(3_000);
  const newest = open('one', 0);
  vi.advanceTimersByTime(1_000);
  expect(destroyed([...slow, fast, newest])).toEqual([true, true, false, false]);
  // Where only such are left, they are bounded too.
  const others = [open('two', 0), open('two', 0), open('two', 0)];
  vi.advanceTimersByTime(1_000);
  expect(destroyed(others).filter(Boolean)).toHaveLength(1);
});

test('a new answer that is read steadily, a burst at a time, is kept before those that are read slowly', () => {
  using clients = openOnPurpose(350 * 1024);
  const openSlow = () => clients.open('one', 10_000);
  const slow = Array.from({ length: 3 }, openSlow);
  vi.advanceTimersByTime(30_500);
  const steady = clients.open('one', 1_000_000, 10_000);
  const left: number[] = [];
  for (let seconds = 0; seconds < 60; seconds++) {
    // Now and then another one comes, for which one has to go.
    if (seconds % 8 === 2) slow.push(openSlow());
    vi.advanceTimersByTime(1_000);
    left.push(slow.filter(({ destroyed }) => !destroyed).length);
    expect(steady.destroyed).toBe(false);
  }
  expect(left.at(-1)).toBe(2);
});

test('sampling the answers of thousands takes no time that others notice', async () => {
  const stalled = { ofOwner: 128 * mebibyte, inAll: 50 * mebibyte };
  const bounds = { stalled, most: boundless, sampleEveryMs: 100, stalledSamples: 2 };
  const answers = createUnreadAnswers(bounds);
  const body = Buffer.alloc(100 * 1024);
  const sockets = Array.from({ length: 2_000 }, (_, n) => {
    const socket = new Socket();
    const response = new ServerResponse(new IncomingMessage(socket));
    response.end(body);
    answers.watch(response, `user ${n}`);
    return socket;
  });
  // Of CPU: what else the machine does makes a sample no dearer.
  const before = process.cpuUsage();
  await expect.poll(() => sockets.filter(({ destroyed }) => destroyed).length).toBeGreaterThan(0);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(250);
  const left = sockets.filter(({ destroyed }) => !destroyed).length;
  expect(left).toBeLessThanOrEqual(stalled.inAll / body.length);
  expect(left).toBeGreaterThan(500);
});
