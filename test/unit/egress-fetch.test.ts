import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { isRefusal, walkRedirects } from '../../src/workers/url/walk-redirects.ts';
import { failureOf, openLoopbackDoor, startCannedOrigin, startOrigin } from '../support/egress-origin.ts';

const page = Buffer.from('<h1>page</h1>'.repeat(2_000));

describe('fetch', () => {
  it('gives status, headers, body and timings of any HTTP status', async () => {
    await using origin = await startOrigin((_request, response) => {
      response
        .writeHead(
          404,
          [
            ['X-A', '1'],
            ['x-a', '2'],
            ['Set-Cookie', 'a=1'],
            ['set-cookie', 'b=2'],
          ].flat(),
        )
        .end('none');
    });
    await using door = openLoopbackDoor();
    await using lease = door.openLease();
    const answer = await lease.fetch({ url: origin.url });
    expect(answer).toMatchObject({ url: origin.url, status: 404, redirects: [], truncated: false });
    expect(answer.body.toString()).toBe('none');
    expect(answer.headers).toMatchObject({ 'x-a': '1, 2', 'set-cookie': 'a=1\nb=2' });
    expect(answer.timings.tlsMs).toBeNull();
    expect(answer.timings.totalMs).toBeGreaterThan(0);
    expect(lease.bytesReceived).toBeGreaterThan(100);
    expect(lease.outcomes).toMatchObject([{ host: '127.0.0.1', via: 'fetch', result: 'ok', reason: null }]);
    expect(lease.outcomes[0]?.bytesReceived).toBe(lease.bytesReceived);
    expect(lease.failureOf(origin.url)).toBeNull();
  });

  it('keeps one connection for requests one after another', async () => {
    await using origin = await startOrigin((_request, response) => response.end('page'));
    await using door = openLoopbackDoor();
    await using lease = door.openLease();
    for (let i = 0; i < 5; i++) await lease.fetch({ url: origin.url });
    expect(origin.connections).toBe(1);
  });

  it('asks again when the server has closed an idle connection', async () => {
    let served = 0;
    await using origin = await startOrigin((request, response) => {
      if (served++ === 1) request.socket.destroy();
      else response.end('page');
    });
    await using door = openLoopbackDoor();
    await using lease = door.openLease();
    await lease.fetch({ url: origin.url });
    expect((await lease.fetch({ url: origin.url })).body.toString()).toBe('page');
  });

  it('sends method, headers and body, and refuses headers that belong to the connection', async () => {
    let seen: { method: string | undefined; headers: IncomingHttpHeaders; body: string } | undefined;
    await using origin = await startOrigin(async (request, response) => {
      const chunks = await request.toArray();
      seen = { method: request.method, headers: request.headers, body: Buffer.concat(chunks).toString() };
      response.end();
    });
    await using door = openLoopbackDoor();
    await using lease = door.openLease();
    await lease.fetch({ url: origin.url, method: 'POST', headers: { 'X-A': 'ä' }, body: 'text' });
    expect(seen).toMatchObject({ method: 'POST', body: 'text', headers: { 'content-length': '4' } });
    for (const headers of [{ Host: 'x' }, { 'Transfer-Encoding': 'chunked' }, { 'x-a': 'a\r\nb: c' }]) {
      const failure = await failureOf(
        lease.fetch({ url: origin.url, headers: { ...headers } as Record<string, string> }),
      );
      expect(failure.code).toBe('invalid_request');
    }
  });

  it('joins a body that comes in pieces of every size', async () => {
    const sizes = [1, 40_000, 3, 32_767, 32_768, 2, 70_000, 20_000, 20_000, 5];
    const pieces = sizes.map((size, i) => Buffer.alloc(size, String(i)));
    await using origin = await startOrigin(async (_request, response) => {
      for (const piece of pieces) {
        response.write(piece);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      response.end();
    });
    await using door = openLoopbackDoor();
    await using lease = door.openLease();
    expect((await lease.fetch({ url: origin.url })).body.equals(Buffer.concat(pieces))).toBe(true);
  });

  it('does not read the body of a HEAD, 204 or 304 answer', async () => {
    await using origin = await startOrigin((request, response) => {
      response.writeHead(Number(request.url?.slice(1)), { 'content-encoding': 'gzip' }).end();
    });
    await using door = openLoopbackDoor();
    await using lease = door.openLease();
    expect((await lease.fetch({ url: `${origin.url}204` })).body.length).toBe(0);
    expect((await lease.fetch({ url: `${origin.url}304` })).body.length).toBe(0);
    expect((await lease.fetch({ url: `${origin.url}200`, method: 'HEAD' })).truncated).toBe(false);
    await using stray = await startCannedOrigin('HTTP/1.1 204 No\r\nContent-Length: 4\r\n\r\nstray');
    const { body, truncated } = await lease.fetch({ url: stray.url });
    expect([body.length, truncated]).toEqual([0, false]);
  });

  it('says so when nobody listens', async () => {
    const origin = await startOrigin(() => undefined);
    await origin[Symbol.asyncDispose]();
    await using door = openLoopbackDoor();
    await using lease = door.openLease();
    const failure = await failureOf(lease.fetch({ url: origin.url }));
    expect([failure.code, failure.result]).toEqual(['target_unreachable', 'connect']);
    expect(lease.failureOf(origin.url)).toBe(failure);
  });

  it.each([
    ['gzip', gzipSync(page)],
    ['x-gzip', gzipSync(page)],
    ['deflate', deflateSync(page)],
    ['deflate', deflateRawSync(page)],
    ['br', brotliCompressSync(page)],
    ['zstd', zstdCompressSync(page)],
    ['gzip, br', brotliCompressSync(gzipSync(page))],
    ['identity', page],
    ['made-up', page],
  ])('decodes %s', async (coding, bytes) => {
    await using origin = await startOrigin((_request, response) => {
      response.writeHead(200, { 'content-encoding': coding }).end(bytes);
    });
    await using door = openLoopbackDoor();
    await using lease = door.openLease();
    const { body, truncated } = await lease.fetch({ url: origin.url });
    expect(body.equals(page)).toBe(true);
    expect(truncated).toBe(false);
  });
});

describe('a redirect', () => {
  function redirector(steps: Record<string, [number, string]>): RequestListener {
    return async (request, response) => {
      const step = steps[request.url ?? ''];
      if (step) return void response.writeHead(step[0], { location: step[1] }).end('moved');
      const body = Buffer.concat(await request.toArray()).toString();
      response.end(
        JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body }),
      );
    };
  }
  async function followed(steps: Record<string, [number, string]>, request: object = {}) {
    await using origin = await startOrigin(redirector(steps));
    await using door = openLoopbackDoor();
    await using lease = door.openLease();
    return { ...(await lease.fetch({ url: `${origin.url}start`, ...request })), origin };
  }
  async function follow(...asked: Parameters<typeof followed>) {
    const answer = await followed(...asked);
    const arrived = JSON.parse(answer.body.toString()) as {
      method: string;
      url: string;
      headers: IncomingHttpHeaders;
      body: string;
    };
    return { ...answer, arrived };
  }

  it('is followed, listed, and keeps the connection and the fragment', async () => {
    const answer = await follow({ '/start#x': [301, '/a'], '/start': [301, '/a'], '/a': [302, 'b?q=1'] });
    expect(answer.arrived.url).toBe('/b?q=1');
    expect(answer.redirects.map(({ status }) => status)).toEqual([301, 302]);
    expect(answer.redirects[1]).toEqual({
      url: `${answer.origin.url}a`,
      status: 302,
      location: `${answer.origin.url}b?q=1`,
    });
    expect(answer.origin.connections).toBe(1);
  });

  it.each([
    [301, 'GET', ''],
    [302, 'GET', ''],
    [303, 'GET', ''],
    [307, 'POST', 'data'],
    [308, 'POST', 'data'],
  ])('%i turns a POST into %s', async (status, method, body) => {
    const { arrived } = await follow({ '/start': [status, '/end'] }, { method: 'POST', body: 'data' });
    expect([arrived.method, arrived.body]).toEqual([method, body]);
  });

  it('asks for an empty query as for any other', async () => {
    expect((await follow({ '/start': [302, '/b?#c'] })).arrived.url).toBe('/b?');
  });

  it('reads a Location in UTF-8', async () => {
    const location = Buffer.from('/münchen').toString('latin1');
    expect((await follow({ '/start': [302, location] })).arrived.url).toBe('/m%C3%BCnchen');
  });

  it('carries cookies to the next hop', async () => {
    await using origin = await startOrigin((request, response) => {
      if (request.headers.cookie === 'seen=1') response.end('page');
      else response.writeHead(302, { location: '/', 'set-cookie': 'seen=1; Path=/; HttpOnly' }).end();
    });
    await using door = openLoopbackDoor();
    await using lease = door.openLease();
    expect((await lease.fetch({ url: origin.url })).redirects.length).toBe(1);
  });

  it('keeps a cookie of the client where an answer has set the like of it for another path', async () => {
    const seen: (string | undefined)[] = [];
    await using origin = await startOrigin((request, response) => {
      seen.push(request.headers.cookie);
      const cookies = ['sid=new; Path=/login', 'old=; Max-Age=0; Path=/old'];
      if (request.url !== '/login') response.end();
      else response.writeHead(302, { location: '/home', 'set-cookie': cookies }).end();
    });
    await using door = openLoopbackDoor();
    await using lease = door.openLease();
    const cookie = 'sid=abc; old=1';
    await lease.fetch({ url: new URL('/login', origin.url).href, originHeaders: { cookie } });
    expect(seen).toEqual([cookie, cookie]);
  });

  it('sends no cookie of the client that an answer has replaced or deleted', async () => {
    const seen: (string | undefined)[] = [];
    await using origin = await startOrigin((request, response) => {
      seen.push(request.headers.cookie);
      if (seen.length > 1) return void response.end('page');
      const cookies = ['session=new; Path=/', 'gone=; Max-Age=0; Path=/'];
      response.writeHead(302, { location: '/', 'set-cookie': cookies }).end();
    });
    await using door = openLoopbackDoor();
    await using lease = door.openLease();
    const originHeaders = { cookie: 'session=old; kept=1; gone=1' };
    await lease.fetch({ url: origin.url, originHeaders });
    expect(seen).toEqual([originHeaders.cookie, 'kept=1; session=new']);

    seen.length = 0;
    const asked = { url: origin.url, maxRedirects: 3, headers: {}, originHeaders, readBody: () => false };
    const { signal } = new AbortController();
    await walkRedirects(lease, { ...asked, method: 'GET', endsAt: performance.now() + 20_000, signal });
    expect(seen).toEqual([originHeaders.cookie, 'kept=1; session=new']);
  });

  it('with an empty Location is none', async () => {
    expect((await followed({ '/start': [302, ''] })).status).toBe(302);
  });

  it('drops originHeaders on another origin, and keeps headers', async () => {
    const seen: (string | undefined)[] = [];
    await using other = await startOrigin((request, response) => {
      seen.push(`${request.headers['authorization']} ${request.headers['x-agent']}`);
      response.writeHead(302, { location: `${origin.url}back` }).end();
    });
    await using origin = await startOrigin((request, response) => {
      seen.push(`${request.headers['authorization']} ${request.headers['x-agent']}`);
      if (request.url === '/back') response.end();
      else response.writeHead(302, { location: request.url === '/' ? '/same' : other.url }).end();
    });
    await using door = openLoopbackDoor();
    await using lease = door.openLease();
    await lease.fetch({
      url: origin.url,
      headers: { 'x-agent': 'q' },
      originHeaders: { authorization: 'secret' },
    });
    expect(seen).toEqual(['secret q', 'secret q', 'undefined q', 'undefined q']);
  });

  it.each([
    ['http://127.0.0.2/', 'url_not_allowed', 'address'],
    ['http://2130706434/', 'url_not_allowed', 'address'],
    ['http://localhost/', 'url_not_allowed', 'name'],
    ['http://example.com:22/', 'url_not_allowed', 'port'],
    ['file:///etc/passwd', 'target_protocol_error', 'scheme'],
    ['data:text/html,x', 'target_protocol_error', 'scheme'],
    ['http://user:pw@example.com/', 'target_protocol_error', 'credentials'],
    ['http://[::1', 'target_protocol_error', 'parse'],
  ])('to %s is refused', async (location, code, reason) => {
    const failure = await failureOf(follow({ '/start': [302, location] }));
    expect([failure.code, failure.reason]).toEqual([code, reason]);
    expect(failure.detail).toContain('redirected');
  });

  it('to a name with a private address is refused, and told as a redirect', async () => {
    await using origin = await startOrigin(redirector({ '/': [302, 'http://inside.example.com/'] }));
    await using door = openLoopbackDoor({ resolve: async () => ['10.0.0.1'] });
    await using lease = door.openLease();
    const failure = await failureOf(lease.fetch({ url: origin.url }));
    expect([failure.code, failure.reason]).toEqual(['url_not_allowed', 'address']);
    expect(failure.detail).toMatch(/^The target redirected to a URL that cannot be followed\. /);
    expect(failure.detail).not.toMatch(/10\.0\.0\.1|redirected.*redirected/);
    const asked = { url: origin.url, maxRedirects: 3, headers: {}, originHeaders: {}, readBody: () => false };
    const { signal } = new AbortController();
    const endsAt = performance.now() + 20_000;
    const walk = await walkRedirects(lease, { ...asked, method: 'GET', endsAt, signal });
    expect(walk.failure).toMatchObject({ code: failure.code, detail: failure.detail });
    expect(isRefusal(walk)).toBe(true);
  });

  it('with credentials is refused in a walk too, which does not show them', async () => {
    await using origin = await startOrigin(redirector({ '/': [302, 'http://user:secret@example.com/a'] }));
    await using door = openLoopbackDoor();
    await using lease = door.openLease();
    const asked = { url: origin.url, maxRedirects: 3, headers: {}, originHeaders: {}, readBody: () => false };
    const { signal } = new AbortController();
    const endsAt = performance.now() + 20_000;
    const walk = await walkRedirects(lease, { ...asked, method: 'GET', endsAt, signal });
    expect(walk).toMatchObject({ finalUrl: 'http://example.com/a', response: null });
    expect(walk.failure?.code).toBe('target_protocol_error');
    expect(walk.failure?.detail).toContain('redirected');
    expect(isRefusal(walk)).toBe(false);
    expect(JSON.stringify(walk)).not.toMatch(/secret|user:/);
  });

  it('that is refused is in the outcomes', async () => {
    await using origin = await startOrigin(redirector({ '/': [302, 'http://127.0.0.2:81/'] }));
    await using door = openLoopbackDoor();
    await using lease = door.openLease();
    await failureOf(lease.fetch({ url: origin.url }));
    expect(lease.outcomes).toMatchObject([
      { port: origin.port, result: 'ok' },
      { host: '127.0.0.2', port: 81, result: 'refused', reason: 'address' },
    ]);
  });

  it('ends after 20 hops, or as many as asked for', async () => {
    const failure = await failureOf(follow({ '/start': [302, '/start'] }));
    expect(failure.code).toBe('too_many_redirects');
    expect(failure.detail).toMatch(/20 times.*\/start/);
    const none = await failureOf(follow({ '/start': [302, '/end'] }, { maxRedirects: 0 }));
    expect(none.code).toBe('too_many_redirects');
  });

  it('of 15 hops arrives', async () => {
    const steps = Object.fromEntries(
      Array.from({ length: 15 }, (_, i) => [i === 0 ? '/start' : `/${i}`, [302, `/${i + 1}`]]),
    );
    const answer = await follow(steps as Record<string, [number, string]>);
    expect(answer.redirects.length).toBe(15);
    expect(answer.url).toBe(`${answer.origin.url}15`);
  });
});
