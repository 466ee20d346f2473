import { once } from 'node:events';
import { createServer as createTlsServer } from 'node:https';
import { connect } from 'node:net';
import { setDefaultCACertificates } from 'node:tls';
import { beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/shared/config.ts';
import { createEgressDoor, type EgressDoorOptions } from '../../src/shared/egress/door.ts';
import { parseUpstreamProxies } from '../../src/shared/egress/upstream-proxies.ts';
import { expiredCertificate, testKey, trustedCertificate } from '../support/egress-certificates.ts';
import {
  failureOf,
  listen,
  startCannedOrigin,
  startOrigin,
  startRawOrigin,
  signed,
} from '../support/egress-origin.ts';
import {
  startConnectProxy,
  startSocksProxy,
  type UpstreamProxyOptions,
  type UpstreamProxyServer,
} from '../support/upstream-proxy.ts';

const publicAddress = '93.184.215.14';
const credentials = 'some:p@ss,wörd';
const encoded = 'some:p%40ss%2Cw%C3%B6rd@';

interface Way {
  start(options?: UpstreamProxyOptions): Promise<UpstreamProxyServer>;
  /** The proxy's host, where its name matters. */
  url(port: number, user?: string): string;
}

const http: Way = { start: startConnectProxy, url: (port, user = '') => `http://${user}127.0.0.1:${port}` };
const socks: Way = { start: startSocksProxy, url: (port, user = '') => `socks5://${user}127.0.0.1:${port}` };
const https: Way = {
  start: (options) => startConnectProxy({ certificate: trustedCertificate, ...options }),
  url: (port, user = '') => `https://${user}example.com:${port}`,
};
const ways: [string, Way][] = [
  ['http', http],
  ['https', https],
  ['socks5', socks],
];

/** Every target has a public address, which nobody but the proxy leads to 127.0.0.1; so does the proxy's own name. */
function openDoor(proxies: string[], options: Partial<EgressDoorOptions> = {}) {
  const resolve = async (host: string) => [host === 'example.com' ? '127.0.0.1' : publicAddress];
  return createEgressDoor({ allow: [], resolve, proxies, ...options });
}

function startPage() {
  return startOrigin((request, response) => response.end(`page of ${request.headers.host}`));
}

beforeAll(() => setDefaultCACertificates([trustedCertificate, expiredCertificate]));

describe.each(ways)('an %s proxy', (_name, way) => {
  it.each([undefined, credentials])(
    'is asked for the address that was checked (credentials: %s)',
    async (user) => {
      await using proxy = await way.start(user === undefined ? {} : { credentials: user });
      await using origin = await startPage();
      const url = way.url(proxy.port, user === undefined ? '' : encoded);
      await using door = openDoor([`*=${url}`]);
      await using lease = door.openLease();
      const { body } = await lease.fetch({ url: `http://site.example.org:${origin.port}/` });
      expect(body.toString()).toBe(`page of site.example.org:${origin.port}`);
      expect(proxy.asked).toEqual([`${publicAddress}:${origin.port}`]);
      expect(lease.outcomes).toMatchObject([
        { host: 'site.example.org', result: 'ok', route: way.url(proxy.port) },
      ]);
    },
  );

  it('carries the TLS of a target, whose certificate is checked as ever', async () => {
    await using proxy = await way.start();
    const serve = (cert: string) =>
      listen(createTlsServer({ key: testKey, cert }, (_request, response) => response.end('secret page')));
    await using trusted = await serve(trustedCertificate);
    await using expired = await serve(expiredCertificate);
    await using door = openDoor([`*=${way.url(proxy.port)}`], { allow: ['127.0.0.1'] });
    await using lease = door.openLease();
    const { body, timings } = await lease.fetch({ url: `https://example.com:${trusted.port}/` });
    expect([body.toString(), timings.tlsMs !== null]).toEqual(['secret page', true]);
    const failure = await failureOf(lease.fetch({ url: `https://site.example.org:${expired.port}/` }));
    expect(failure.code).toBe('target_tls_failed');
  });

  it('that is not there is its own failure, and nobody goes round it', async () => {
    await using proxy = await way.start();
    await using origin = await startPage();
    await proxy[Symbol.asyncDispose]();
    await using door = openDoor([`*=${way.url(proxy.port, encoded)}`], { allow: ['127.0.0.1'] });
    await using lease = door.openLease();
    const url = `http://127.0.0.1:${origin.port}/`;
    const failure = await failureOf(lease.fetch({ url }));
    expect([failure.code, failure.status, failure.result]).toEqual(['egress_proxy_failed', 502, 'proxy']);
    expect(failure.detail).toContain('EGRESS_PROXY');
    expect(`${failure.detail} ${String(failure.cause)}`).not.toMatch(/p@ss|p%40ss/);
    expect(failure.detail).not.toContain(String(proxy.port));
    expect(lease.failureOf(url)).toBe(failure);
    expect(lease.outcomes).toMatchObject([{ result: 'proxy', route: way.url(proxy.port) }]);
    expect(origin.connections).toBe(0);
  });

  it('that refuses the credentials is its own failure', async () => {
    await using proxy = await way.start({ credentials });
    for (const user of ['', 'some:other@']) {
      await using door = openDoor([`*=${way.url(proxy.port, user)}`]);
      await using lease = door.openLease();
      const failure = await failureOf(lease.fetch({ url: 'http://site.example.org/' }));
      expect([user, failure.code, failure.detail]).toEqual([
        user,
        'egress_proxy_failed',
        expect.stringContaining('credentials'),
      ]);
    }
    expect(proxy.asked).toEqual([]);
  });

  it('that dies in mid-stream breaks the answer off, and the next request is its failure', async () => {
    await using origin = await startOrigin((_request, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('half');
    });
    const proxy = await way.start();
    await using door = openDoor([`*=${way.url(proxy.port)}`]);
    await using lease = door.openLease();
    const url = `http://site.example.org:${origin.port}/`;
    const { body } = await lease.stream({ url });
    const [half] = (await once(body, 'data')) as [Buffer];
    expect(half.toString()).toBe('half');
    const failed = once(body, 'error');
    await proxy[Symbol.asyncDispose]();
    expect(await failed).toMatchObject([{ code: 'target_unreachable' }]);
    const failure = await failureOf(lease.fetch({ url }));
    expect(failure.code).toBe('egress_proxy_failed');
    expect(origin.connections).toBe(1);
  });

  it('takes what a program asks of the lease’s own proxy', async () => {
    await using proxy = await way.start();
    await using origin = await startPage();
    await using door = openDoor([`*=${way.url(proxy.port)}`]);
    await using lease = door.openLease();
    const own = await lease.openProxy();
    const host = `site.example.org:${origin.port}`;
    const forwarded = await converse(
      own.port,
      signed(own, `GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`),
    );
    expect(forwarded).toContain(`page of ${host}`);
    const tunnelled = await converse(
      own.port,
      signed(own, `CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n\r\n`),
      `GET / HTTP/1.1\r\nHost: inner\r\nConnection: close\r\n\r\n`,
    );
    expect(tunnelled).toContain('page of inner');
    expect(proxy.asked).toEqual(Array(2).fill(`${publicAddress}:${origin.port}`));
    await expect
      .poll(() => lease.outcomes.map(({ via, route }) => [via, route]))
      .toEqual([
        ['proxy', way.url(proxy.port)],
        ['tunnel', way.url(proxy.port)],
      ]);
  });
});

/** All that comes until the other end closes; each further text is sent when something has come. */
async function converse(port: number, ...texts: string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.write(texts.shift() ?? '');
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    answer += chunk.toString();
    const next = texts.shift();
    if (next !== undefined) socket.write(next);
  }
  return answer;
}

describe('behind a proxy', () => {
  it.each([
    ['a name with a private address', 'http://inside.example.org/', ['10.0.0.1']],
    [
      'a name with one private address among public ones',
      'http://mixed.example.org/',
      [publicAddress, '::1'],
    ],
    ['a private address', 'http://10.0.0.1/', []],
    ['the metadata service', 'http://169.254.169.254/', []],
    ['a name of the inside', 'http://db.internal/', []],
    ['this machine', 'http://localhost/', []],
    ['a denied port', 'http://site.example.org:25/', [publicAddress]],
  ])('%s stays refused', async (_name, url, addresses) => {
    await using proxy = await startConnectProxy();
    await using door = openDoor([`*=${http.url(proxy.port)}`], { resolve: async () => addresses });
    await using lease = door.openLease();
    expect((await failureOf(lease.fetch({ url }))).code).toBe('url_not_allowed');
    const own = await lease.openProxy();
    const { host, port: targetPort } = new URL(url);
    const authority = targetPort === '' ? `${host}:80` : host;
    expect(await converse(own.port, signed(own, `CONNECT ${authority} HTTP/1.1\r\n\r\n`))).toMatch(
      /^HTTP\/1.1 403/,
    );
    expect([proxy.asked, proxy.connections]).toEqual([[], 0]);
  });

  it('a redirect to the inside stays refused', async () => {
    await using proxy = await startConnectProxy();
    await using origin = await startOrigin((_request, response) => {
      response.writeHead(302, { location: 'http://10.0.0.1/' }).end();
    });
    await using door = openDoor([`*=${http.url(proxy.port)}`]);
    await using lease = door.openLease();
    const failure = await failureOf(lease.fetch({ url: `http://site.example.org:${origin.port}/` }));
    expect([failure.code, proxy.asked.length]).toEqual(['url_not_allowed', 1]);
  });

  it('a name that changes its address leads where it was checked', async () => {
    await using proxy = await startSocksProxy();
    await using origin = await startPage();
    const answers = [[publicAddress], ['10.0.0.1']];
    let questions = 0;
    await using door = openDoor([`*=${socks.url(proxy.port)}`], {
      resolve: async () => answers[questions++] ?? [],
    });
    await using lease = door.openLease();
    await lease.fetch({ url: `http://rebind.example.org:${origin.port}/` });
    expect({ questions, asked: proxy.asked }).toEqual({
      questions: 1,
      asked: [`${publicAddress}:${origin.port}`],
    });
  });

  it.each(ways.filter(([name]) => name !== 'https'))(
    'a name that only the %s proxy knows is left to it',
    async (_name, way) => {
      await using proxy = await way.start();
      await using origin = await startPage();
      const resolve = async () => {
        throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
      };
      await using door = openDoor([`*.example.org=${way.url(proxy.port)}`], { resolve });
      await using lease = door.openLease();
      const { status } = await lease.fetch({ url: `http://far.example.org:${origin.port}/` });
      expect([status, proxy.asked]).toEqual([200, [`far.example.org:${origin.port}`]]);
      expect((await failureOf(lease.fetch({ url: 'http://far.example.net/' }))).code).toBe(
        'target_dns_failed',
      );
      expect((await failureOf(lease.fetch({ url: 'http://db.internal/' }))).code).toBe('url_not_allowed');
    },
  );

  it.each([
    ['an HTTP proxy answers 502', http, 502, 'target_unreachable'],
    ['an HTTP proxy answers 504', http, 504, 'target_timeout'],
    ['an HTTP proxy answers 403', http, 403, 'url_not_allowed'],
    ['an HTTP proxy answers 405', http, 405, 'egress_proxy_failed'],
    ['a SOCKS5 proxy answers "host unreachable"', socks, 4, 'target_unreachable'],
    ['a SOCKS5 proxy answers "TTL expired"', socks, 6, 'target_timeout'],
    ['a SOCKS5 proxy answers "not allowed"', socks, 2, 'url_not_allowed'],
    ['a SOCKS5 proxy answers "command not supported"', socks, 7, 'egress_proxy_failed'],
  ])('%s', async (_name, way, answer, code) => {
    await using proxy = await way.start({ answer });
    await using door = openDoor([`*=${way.url(proxy.port)}`]);
    await using lease = door.openLease();
    expect((await failureOf(lease.fetch({ url: 'http://site.example.org/' }))).code).toBe(code);
  });

  it.each([
    ['http', 'closes at once', () => startRawOrigin((socket) => socket.destroy())],
    ['http', 'speaks something else', () => startCannedOrigin('SSH-2.0-x\r\n')],
    ['socks5', 'closes at once', () => startRawOrigin((socket) => socket.destroy())],
    ['socks5', 'speaks something else', () => startCannedOrigin('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['https', 'does not speak TLS', () => startCannedOrigin('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ])('an %s proxy that %s is its own failure', async (protocol, _what, start) => {
    await using server = await start();
    await using door = openDoor([`*=${protocol}://127.0.0.1:${server.port}`]);
    await using lease = door.openLease();
    const failure = await failureOf(lease.fetch({ url: 'http://site.example.org/' }));
    expect(failure.code).toBe('egress_proxy_failed');
  });

  it('a proxy that never answers ends with the request', async () => {
    await using server = await startRawOrigin(() => undefined);
    for (const protocol of ['http', 'socks5']) {
      await using door = openDoor([`*=${protocol}://127.0.0.1:${server.port}`]);
      await using lease = door.openLease();
      const failure = await failureOf(lease.fetch({ url: 'http://site.example.org/', timeoutMs: 150 }));
      expect(failure.code).toBe('target_timeout');
    }
  });
});

describe('EGRESS_PROXY', () => {
  it('chooses by host, the most exact entry first', () => {
    const proxies = parseUpstreamProxies([
      '*=http://all',
      '*.example.com=https://some.proxy',
      '*.eu.example.com=socks5://[2001:db8::1]:9',
      'example.com=direct',
      'www.example.com=http://user:pw@www:3128/',
      'www.example.com:8080=direct',
      '127.0.0.1=direct',
      '[::1]:8080=direct',
    ]);
    const wayTo = (host: string, port = 80) => proxies.find(host, port)?.name ?? 'direct';
    expect({
      other: wayTo('example.org'),
      above: wayTo('example.com'),
      below: wayTo('a.b.example.com'),
      longest: wayTo('a.eu.example.com'),
      itself: wayTo('eu.example.com'),
      named: wayTo('www.example.com.'),
      port: wayTo('www.example.com', 8080),
      notBelow: wayTo('badexample.com'),
      v4: wayTo('127.0.0.1'),
      otherV4: wayTo('127.0.0.2'),
      v6: wayTo('[::1]', 8080),
      otherPort: wayTo('[::1]'),
    }).toEqual({
      other: 'http://all:80',
      above: 'direct',
      below: 'https://some.proxy:443',
      longest: 'socks5://[2001:db8::1]:9',
      itself: 'https://some.proxy:443',
      named: 'http://www:3128',
      port: 'direct',
      notBelow: 'http://all:80',
      v4: 'direct',
      otherV4: 'http://all:80',
      v6: 'direct',
      otherPort: 'http://all:80',
    });
  });

  it.each([
    'http://user:hunter2@proxy:3128',
    '*=ftp://user:hunter2@proxy',
    '*=socks5://user:hunter2@proxy:99999',
    '*=user:hunter2@proxy:3128',
    '*=http://user:hunter2@proxy/path',
    '*=http://us%er:hunter2@proxy',
    '*=http://user:hunter2@x@proxy:port',
    '*=',
    '=direct',
    'a b=direct',
    '*.*.com=direct',
    '*.example.com:80=direct',
    '*.10.0.0.1=direct',
    '*=direct, *=direct',
  ])('that cannot be read refuses the start, without its password: %s', (text) => {
    const env = { EGRESS_PROXY: text };
    expect(() => readConfig(env)).toThrow(/EGRESS_PROXY has the entry .* because .* Write hosts=proxy/);
    expect(() => readConfig(env)).not.toThrow(/hunter2/);
  });
});
