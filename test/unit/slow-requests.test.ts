import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { answerBrokenRequests, requestBounds } from '../../src/api/http/broken-requests.ts';

test('all of a request has to arrive within a minute, and is looked for more often', () => {
  expect(requestBounds.headersTimeout).toBeLessThanOrEqual(requestBounds.requestTimeout);
  expect(requestBounds.requestTimeout).toBeLessThanOrEqual(60_000);
  expect(requestBounds.connectionsCheckingInterval).toBeLessThanOrEqual(10_000);
});

test.each([
  ['headers', 'GET / HTTP/1.1\r\nHost: it\r\n', 'X'],
  ['a body', 'POST / HTTP/1.1\r\nHost: it\r\nContent-Length: 100000\r\n\r\n', ' '],
])('%s that come byte by byte end with 408', async (_what, start, byte) => {
  const bounds = {
    ...requestBounds,
    headersTimeout: 300,
    requestTimeout: 600,
    connectionsCheckingInterval: 50,
  };
  const server = createServer(bounds, (request) => void request.resume());
  answerBrokenRequests(server, pino({ level: 'silent' }));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const sockets = Array.from({ length: 30 }, () =>
    connect((server.address() as AddressInfo).port, '127.0.0.1'),
  );
  const answers = await Promise.all(
    sockets.map(async (socket) => {
      let answer = '';
      socket.on('data', (part) => (answer += part.toString())).on('error', () => undefined);
      socket.write(start);
      const drip = setInterval(() => void socket.write(byte), 20);
      await once(socket, 'close');
      clearInterval(drip);
      return answer;
    }),
  );
  server.close();
  for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 408 [^]*"code":"request_timeout"/);
});
