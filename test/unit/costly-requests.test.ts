import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import Koa from 'koa';
import { expect, test } from 'vitest';
import { readBody } from '../../src/api/http/body.ts';
import { parseQuery, readQueriesInLinearTime } from '../../src/api/http/linear-query.ts';
import { boundPipelining } from '../../src/api/http/pipelined-requests.ts';

/** What is answered to these bytes until the connection ends, or the answer has `until`. */
async function say(handle: RequestListener, text: string, until: RegExp): Promise<string> {
  const server = createServer(handle);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1', () => socket.write(text));
  let answer = '';
  socket.on('error', () => undefined);
  socket.on('data', (part) => {
    answer += part.toString();
    if (until.test(answer)) socket.destroy();
  });
  await once(socket, 'close');
  server.close();
  return answer;
}

const queryOf = (app: Koa, text: string): Koa.Request['query'] =>
  Object.create(app.request, { req: { value: { url: `/?${text}` } } }).query;

test.each([
  '',
  'a=1&b=2',
  'a=1&a=2&b&a=',
  '=1&=2&&',
  '__proto__=1&constructor=2&__proto__=3',
  'a=%zz%ff+b%20c&%61=x',
  'a[b]=1&a[]=2',
])('a query is what Koa takes it for: %j', (text) => {
  const app = new Koa();
  const expected = queryOf(new Koa(), text);
  readQueriesInLinearTime(app);
  const query = queryOf(app, text);
  expect(Object.entries(query)).toEqual(Object.entries(expected));
  expect(Object.getPrototypeOf(query)).toBe(Object.prototype);
});

test('a query is read in a small part of the time that Koa takes', () => {
  const text = 'a&'.repeat(3_000);
  const tookMs = (run: () => unknown) => {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
  const koaMs = tookMs(() => queryOf(new Koa(), text));
  expect(tookMs(() => parseQuery(text))).toBeLessThan(koaMs / 5);
});

test('of one connection sixteen requests run at once, and others wait for them', async () => {
  let begun = 0;
  const handle = boundPipelining((_request, response) => {
    begun++;
    setTimeout(() => response.end('ok'), 20);
  });
  const request = 'GET / HTTP/1.1\r\nHost: it\r\n\r\n';
  expect((await say(handle, request.repeat(16), /(?:ok[^]*){16}/)).split('200 OK')).toHaveLength(17);
  begun = 0;
  const last = request.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');
  expect((await say(handle, request.repeat(99) + last, /$^/)).split('200 OK')).toHaveLength(101);
  expect(begun).toBe(100);
  begun = 0;
  expect(await say(handle, request.repeat(2_000), /ok/)).toBe('');
  expect(begun).toBe(16);
  begun = 0;
  const server = createServer(handle);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  for (let n = 0; n < 20; n++) {
    socket.write(request);
    await once(socket, 'data');
  }
  expect(begun).toBe(20);
  socket.destroy();
  server.close();
});

test('a body is read in as many chunks as 1 MiB has of 64 bytes', async () => {
  const app = new Koa();
  app.use(async (ctx) => {
    ctx.body = await readBody(ctx).then(
      (text) => `read ${text.length}`,
      (error: unknown) => `refused: ${String(error)}`,
    );
  });
  app.on('error', () => undefined);
  const post = (chunks: number, size: number) =>
    say(
      app.callback(),
      `POST / HTTP/1.1\r\nHost: it\r\nTransfer-Encoding: chunked\r\n\r\n${`${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`.repeat(chunks)}0\r\n\r\n`,
      /read \d+|refused.*/,
    );
  expect(await post(16_000, 64)).toContain(`read ${16_000 * 64}`);
  expect(await post(17_000, 1)).toMatch(/Connection: close[^]*refused: .*16,384 pieces/);
});
