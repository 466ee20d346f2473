import { once } from 'node:events';
import { request as httpRequest, type IncomingHttpHeaders, type RequestOptions } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { EgressLease, EgressLeaseOptions, ProxyAddress } from '../../src/shared/egress/types.ts';
import {
  authorizationOf,
  openLoopbackDoor,
  startCannedOrigin,
  signed,
  startOrigin,
  startRawOrigin,
} from '../support/egress-origin.ts';

/** Of the proxy that is spoken to. */
let address: ProxyAddress = { url: '', username: '', password: '', signInUrl: '' };

async function openProxy(lease: EgressLease): Promise<number> {
  const { port, ...opened } = await lease.openProxy();
  address = opened;
  return port;
}

async function withProxy<T>(
  run: (lease: EgressLease, port: number) => Promise<T>,
  options: EgressLeaseOptions = {},
): Promise<T> {
  await using door = openLoopbackDoor({ proxyHeadersTimeoutMs: 600 });
  await using lease = door.openLease(options);
  return await run(lease, await openProxy(lease));
}

/** Sends `text` and gives all that comes until the proxy closes, or until `until` has come. */
function say(port: number, text: string, until?: string): Promise<string> {
  return sayUnsigned(port, signed(address, text), until);
}

async function sayUnsigned(port: number, text: string, until?: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(text);
  let answer = '';
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    answer += chunk.toString('latin1');
    if (until !== undefined && answer.includes(until)) break;
  }
  socket.destroy();
  return answer;
}

async function openTunnel(port: number, authority: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.write(signed(address, `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`));
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  expect(chunk.toString()).toBe('HTTP/1.1 200 Connection Established\r\n\r\n');
  return socket;
}

interface Answer {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

function ask(port: number, url: string, options: Partial<RequestOptions> = {}, body = ''): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { 'proxy-authorization': authorizationOf(address), ...options.headers };
    const request = httpRequest(
      { host: '127.0.0.1', port, path: url, ...options, headers },
      async (response) => {
        const chunks = await response.toArray().catch(reject);
        if (chunks)
          resolve({
            status: response.statusCode,
            headers: response.headers,
            body: Buffer.concat(chunks).toString(),
          });
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

describe('a lease’s proxy', () => {
  it('passes on plain HTTP in absolute form, without the headers of the connection', async () => {
    let seen: IncomingHttpHeaders = {};
    await using origin = await startOrigin(async (request, response) => {
      seen = request.headers;
      const body = Buffer.concat(await request.toArray()).toString();
      response
        .writeHead(201, { 'x-a': '1', 'keep-alive': 'timeout=9' })
        .end(`${request.method} ${request.url} ${body}`);
    });
    await withProxy(async (lease, port) => {
      const headers = {
        host: 'lie.example.com',
        connection: 'x-hop',
        'x-hop': '1',
        'x-b': '2',
      };
      const url = `http://site.example.com:${origin.port}/a?b`;
      const answer = await ask(port, url, { method: 'POST', headers }, 'data');
      expect(answer).toMatchObject({ status: 201, body: 'POST /a?b data', headers: { 'x-a': '1' } });
      expect(seen).toMatchObject({ host: `site.example.com:${origin.port}`, 'x-b': '2' });
      expect(seen).not.toHaveProperty('x-hop');
      expect(seen).not.toHaveProperty('proxy-authorization');
      await expect
        .poll(() => lease.outcomes)
        .toMatchObject([{ host: 'site.example.com', port: origin.port, via: 'proxy', result: 'ok' }]);
      expect(lease.bytesReceived).toBeGreaterThan(50);
    });
  });

  it('passes on no more requests than the lease may make, tunnels among them', async () => {
    await using origin = await startOrigin((_request, response) => void response.end('here'));
    const authority = `127.0.0.1:${origin.port}`;
    await withProxy(
      async (lease, port) => {
        const url = `http://${authority}/`;
        const answers = [await ask(port, url), await ask(port, url)];
        (await openTunnel(port, authority)).destroy();
        answers.push(await ask(port, url));
        const tunnel = await say(port, `CONNECT ${authority} HTTP/1.1\r\nHost: x\r\n\r\n`);
        expect(answers.map(({ status }) => status)).toEqual([200, 200, 403]);
        expect(tunnel).toMatch(/^HTTP\/1.1 403 /);
        expect(lease.droppedRequests).toBe(2);
        // Of those by TLS the tunnel has carried one.
        expect([lease.isSpent, lease.admit(), lease.admit(), lease.droppedRequests]).toEqual([
          true,
          true,
          false,
          3,
        ]);
      },
      { maxProxyRequests: 3 },
    );
  });

  it('counts what it turns away apart from the requests that it may make, where the proxy is not asked too', async () => {
    await withProxy(
      async (lease, port) => {
        const url = 'http://ads.example.com/';
        expect([lease.turnsAway('ads.example.com'), lease.turnsAway('site.example.com')]).toEqual([
          true,
          false,
        ]);
        expect((await ask(port, url)).status).toBe(403);
        expect([...lease.turnedAway]).toEqual([['ads.example.com', 2]]);
        expect([lease.isSpent, lease.admit(), lease.droppedRequests]).toEqual([false, true, 0]);
      },
      { maxProxyRequests: 1, turnAway: (host) => host === 'ads.example.com' },
    );
  });

  it('passes on what follows 5,000 headers', async () => {
    const fields = 'X-A: 1\r\n'.repeat(5_000);
    await using origin = await startCannedOrigin(
      `HTTP/1.1 200 OK\r\n${fields}X-Last: 1\r\nContent-Length: 0\r\n\r\n`,
    );
    await withProxy(async (_lease, port) => {
      const request = `GET ${origin.url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
      expect(await say(port, request)).toContain('X-Last: 1');
    });
  });

  it('answers nobody without its credential, and nothing but the sign-in before it is a lease’s', async () => {
    await using origin = await startOrigin((_request, response) => response.end('page'));
    await using door = openLoopbackDoor();
    await using waiting = await door.openProxy();
    await using lease = door.openLease();
    const port = Number(new URL(waiting.url).port);
    address = waiting;
    const { signInUrl } = waiting;
    const connectTo = `CONNECT 127.0.0.1:${origin.port} HTTP/1.1\r\nHost: x\r\n\r\n`;
    const strangers = ['', 'Basic eDp5', authorizationOf({ ...address, password: 'x'.repeat(32) })];
    for (const isServing of [false, true]) {
      if (isServing) expect(lease.takeProxy(waiting)).toBe(true);
      expect((await ask(port, signInUrl)).status).toBe(204);
      for (const authorization of strangers) {
        const headers = { 'proxy-authorization': authorization };
        for (const url of [signInUrl, origin.url, 'http://127.0.0.2/'])
          expect((await ask(port, url, { headers })).status).toBe(407);
        const unsigned = connect(port, '127.0.0.1').end(
          connectTo.replace('x', `x\r\nProxy-Authorization: ${authorization}`),
        );
        expect((await unsigned.toArray()).join('')).toMatch(/^HTTP\/1.1 407 /);
      }
      if (isServing) expect((await ask(port, origin.url)).body).toBe('page');
      else {
        await expect(ask(port, origin.url)).rejects.toThrow();
        expect(await say(port, connectTo)).toBe('');
      }
    }
    expect([origin.connections, lease.outcomes.length]).toEqual([1, 1]);
  });

  it('passes on no 407 of a target, for which Chromium would forget the credential', async () => {
    await using origin = await startOrigin((_request, response) => response.writeHead(407).end());
    await withProxy(async (lease, port) => {
      expect((await ask(port, origin.url)).status).toBe(502);
      expect(lease.failureOf(origin.url)?.code).toBe('target_protocol_error');
    });
  });

  it('keeps connections to the target between requests', async () => {
    await using origin = await startOrigin((_request, response) => response.end('image'));
    await withProxy(async (_lease, port) => {
      for (let i = 0; i < 10; i++) await ask(port, origin.url);
      expect(origin.connections).toBe(1);
    });
  });

  it('asks again when the target has closed an idle connection', async () => {
    let served = 0;
    await using origin = await startOrigin((request, response) => {
      if (served++ === 1) request.socket.destroy();
      else response.end('image');
    });
    await withProxy(async (_lease, port) => {
      await ask(port, origin.url);
      expect(await ask(port, origin.url)).toMatchObject({ status: 200, body: 'image' });
    });
  });

  it('tunnels both ways, and records the bytes that came', async () => {
    await using echo = await startRawOrigin((socket) => socket.pipe(socket));
    await withProxy(async (lease, port) => {
      const socket = await openTunnel(port, `site.example.com:${echo.port}`);
      socket.write('hello');
      expect(String((await once(socket, 'data'))[0])).toBe('hello');
      socket.end();
      await once(socket, 'close');
      expect(lease.outcomes).toEqual([
        {
          host: 'site.example.com',
          port: echo.port,
          via: 'tunnel',
          result: 'ok',
          reason: null,
          bytesReceived: 5,
          route: 'direct',
        },
      ]);
    });
  });

  it('carries a large body whole to a slow reader', async () => {
    const size = 8_000_000;
    await using origin = await startRawOrigin((socket) => {
      socket.once('data', () => socket.end(Buffer.alloc(size, 'a')));
    });
    await withProxy(async (_lease, port) => {
      const socket = await openTunnel(port, `127.0.0.1:${origin.port}`);
      socket.write('start');
      let received = 0;
      for await (const chunk of socket as AsyncIterable<Buffer>) {
        received += chunk.length;
        if (received < 1_000_000) await new Promise((resolve) => setTimeout(resolve, 1));
      }
      expect(received).toBe(size);
    });
  });
});

describe('a proxy request that is refused', () => {
  const host = 'Host: x\r\n\r\n';
  it.each([
    ['a tunnel inside', `CONNECT 127.0.0.2:443 HTTP/1.1\r\n${host}`, 403, 'address'],
    ['a mapped tunnel inside', `CONNECT [::ffff:127.0.0.1]:443 HTTP/1.1\r\n${host}`, 403, 'address'],
    ['a tunnel by number', `CONNECT 2130706434:443 HTTP/1.1\r\n${host}`, 403, 'address'],
    ['a tunnel to a local name', `CONNECT localhost:443 HTTP/1.1\r\n${host}`, 403, 'name'],
    ['a tunnel to a denied port', `CONNECT example.com:22 HTTP/1.1\r\n${host}`, 403, 'port'],
    ['a tunnel without a port', `CONNECT example.com HTTP/1.1\r\n${host}`, 400, 'protocol'],
    ['a tunnel to port 0', `CONNECT example.com:0 HTTP/1.1\r\n${host}`, 400, 'protocol'],
    ['a tunnel with credentials', `CONNECT a@example.com:443 HTTP/1.1\r\n${host}`, 400, 'protocol'],
    ['a tunnel to a socket file', `CONNECT /run/x.sock HTTP/1.1\r\n${host}`, 400, 'protocol'],
    ['http inside', `GET http://127.0.0.2/ HTTP/1.1\r\n${host}`, 403, 'address'],
    ['http with credentials', `GET http://a:b@example.com/ HTTP/1.1\r\n${host}`, 400, 'credentials'],
    ['https in absolute form', `GET https://example.com/ HTTP/1.1\r\n${host}`, 400, 'protocol'],
    ['a path alone', `GET / HTTP/1.1\r\n${host}`, 400, 'protocol'],
    ['another scheme', `GET ftp://example.com/ HTTP/1.1\r\n${host}`, 400, 'protocol'],
    [
      'an upgrade',
      `GET http://example.com/ HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: websocket\r\n${host}`,
      400,
      'protocol',
    ],
    [
      'length and chunks',
      `POST http://example.com/ HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n${host}`,
      400,
      'protocol',
    ],
    ['a bare line feed', `GET http://example.com/ HTTP/1.1\r\nX: 1\n${host}`, 400, 'protocol'],
    ['no HTTP', 'hello\r\n\r\n', 400, 'protocol'],
  ])('%s', async (_name, text, status, reason) => {
    await withProxy(async (lease, port) => {
      const answer = await say(port, text, '\r\n\r\n');
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(answer.toLowerCase()).toContain(`x-egress-refused: ${reason}\r\n`);
      expect(lease.outcomes).toMatchObject([{ result: 'refused', bytesReceived: 0 }]);
    });
  });

  it('by headers that never end, of whoever has signed in, and of strangers, of whom nothing is recorded', async () => {
    await using origin = await startOrigin((_request, response) => response.end('here'));
    await withProxy(async (lease, port) => {
      const endless = 'GET http://example.com/ HTTP/1.1\r\nX: ';
      expect(await sayUnsigned(port, endless)).toMatch(/x-egress-refused: protocol/);
      expect(await sayUnsigned(port, 'hello\r\n\r\n')).toMatch(/x-egress-refused: protocol/);
      expect(lease.outcomes).toEqual([]);
      const first = signed(address, `GET ${origin.url} HTTP/1.1\r\nHost: x\r\n\r\n`);
      expect(await sayUnsigned(port, first + endless)).toMatch(/x-egress-refused: protocol/);
      expect(lease.outcomes.map(({ result }) => result)).toEqual(['ok', 'refused']);
    });
  });

  it('leads to the proxy itself, even where the allow list opens loopback', async () => {
    await withProxy(async (_lease, port) => {
      for (const authority of [`127.0.0.1:${port}`, `site.example.com:${port}`]) {
        const answer = await say(port, `CONNECT ${authority} HTTP/1.1\r\n${host}`, '\r\n\r\n');
        expect(answer).toContain('x-egress-refused: address');
      }
    });
  });

  it('is answered quickly on a connection that stays open', async () => {
    await withProxy(async (lease, port) => {
      for (let i = 0; i < 50; i++) expect((await ask(port, 'http://127.0.0.2/')).status).toBe(403);
      expect(lease.failureOf('http://127.0.0.2/')?.code).toBe('url_not_allowed');
    });
  });
});

describe('a target that fails behind the proxy', () => {
  it('is a 502 with the true cause in failureOf', async () => {
    const gone = await startOrigin(() => undefined);
    await gone[Symbol.asyncDispose]();
    await using garbage = await startRawOrigin((socket) =>
      socket.once('data', () => socket.end('garbage\r\n\r\n')),
    );
    await using closing = await startRawOrigin((socket) => socket.destroy());
    await withProxy(async (lease, port) => {
      expect((await ask(port, gone.url)).status).toBe(502);
      expect((await ask(port, garbage.url)).status).toBe(502);
      expect((await ask(port, closing.url)).status).toBe(502);
      expect(lease.outcomes.map(({ result }) => result)).toEqual(['connect', 'protocol', 'reset']);
      expect(lease.failureOf(gone.url)?.code).toBe('target_unreachable');
      expect(lease.failureOf(garbage.url)?.code).toBe('target_protocol_error');
      const answer = await say(
        port,
        `CONNECT 127.0.0.1:${gone.port} HTTP/1.1\r\nHost: x\r\n\r\n`,
        '\r\n\r\n',
      );
      expect(answer).toMatch(/^HTTP\/1.1 502 /);
    });
  });

  it('has its tunnel recorded as reset when it closes without a byte', async () => {
    await using closing = await startRawOrigin((socket) => socket.end());
    await withProxy(async (lease, port) => {
      const socket = await openTunnel(port, `127.0.0.1:${closing.port}`);
      await once(socket.resume(), 'close');
      expect(lease.outcomes).toMatchObject([{ via: 'tunnel', result: 'reset' }]);
      expect(lease.failureOf(`https://127.0.0.1:${closing.port}/`)?.code).toBe('target_unreachable');
    });
  });
});

describe('a client that leaves', () => {
  it('ends the request to the target, which is not the target’s failure', async () => {
    const ended = Promise.withResolvers<void>();
    await using origin = await startOrigin((_request, response) => {
      response.once('close', () => ended.resolve());
      response.write('first');
    });
    await withProxy(async (lease, port) => {
      const answer = await say(port, `GET ${origin.url} HTTP/1.1\r\nHost: x\r\n\r\n`, 'first');
      expect(answer).toContain('200 OK');
      await ended.promise;
      await expect.poll(() => lease.outcomes).toMatchObject([{ via: 'proxy', result: 'ok' }]);
    });
  });
});

describe('a target that ends its body early', () => {
  it('has the response cut off, and is recorded', async () => {
    await using origin = await startRawOrigin((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npage'));
    });
    await withProxy(async (lease, port) => {
      await expect(ask(port, origin.url)).rejects.toThrow('aborted');
      await expect.poll(() => lease.outcomes).toMatchObject([{ via: 'proxy', result: 'reset' }]);
    });
  });
});

describe('the byte budget', () => {
  it('ends tunnels and requests alike, and refuses what comes after', async () => {
    const endless = (socket: Socket): void => {
      const source = new Readable({ read: () => void source.push(Buffer.alloc(65_536)) });
      socket.once('data', () => source.pipe(socket));
      socket.once('close', () => source.destroy());
    };
    await using origin = await startRawOrigin(endless);
    await withProxy(
      async (lease, port) => {
        const socket = await openTunnel(port, `site.example.com:${origin.port}`);
        socket.write('start');
        await once(socket.resume(), 'close');
        expect(lease.outcomes).toMatchObject([{ via: 'tunnel', result: 'budget' }]);
        expect(lease.failureOf(`https://site.example.com:${origin.port}/`)?.code).toBe('target_too_large');
        expect(lease.bytesReceived).toBeLessThan(3_000_000);
        const answer = await ask(port, `http://other.example.com:${origin.port}/`);
        expect([answer.status, answer.headers['x-egress-refused']]).toEqual([422, 'budget']);
      },
      { byteBudget: 1_000_000 },
    );
  });
});

describe('the end of a lease', () => {
  it('closes its listener, its tunnels and its connections', async () => {
    await using silent = await startRawOrigin(() => undefined);
    await using door = openLoopbackDoor();
    const lease = door.openLease();
    const port = await openProxy(lease);
    const tunnel = await openTunnel(port, `127.0.0.1:${silent.port}`);
    const fetching = lease.fetch({ url: silent.url });
    const ended = [once(tunnel.resume(), 'close'), expect(fetching).rejects.toThrow('lease has ended')];
    await lease[Symbol.asyncDispose]();
    await Promise.all(ended);
    await expect(once(connect(port, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED');
    await expect(lease.openProxy()).rejects.toThrow('lease has ended');
    await expect(lease.fetch({ url: silent.url })).rejects.toThrow('lease has ended');
  });

  it('comes with the end of its signal for the connections, and with the door for all', async () => {
    await using silent = await startRawOrigin(() => undefined);
    const door = openLoopbackDoor();
    const canceled = new AbortController();
    const first = door.openLease({ signal: canceled.signal }).fetch({ url: silent.url });
    canceled.abort(new Error('job canceled'));
    await expect(first).rejects.toThrow('job canceled');
    const lease = door.openLease();
    const port = await openProxy(lease);
    await door[Symbol.asyncDispose]();
    await expect(once(connect(port, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED');
  });
});
