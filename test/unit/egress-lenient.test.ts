import { connect } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  failureOf,
  openLoopbackDoor,
  type Origin,
  startCannedOrigin,
  startOrigin,
  startRawOrigin,
  signed,
} from '../support/egress-origin.ts';

const page = '<p>How slate is split</p>';
const type = 'Content-Type: text/html\r\n';
const length = `Content-Length: ${page.length}\r\n`;
const size = page.length.toString(16);
const answer = (fields: string, first = 'HTTP/1.1 200 OK') => `${first}\r\n${type}${fields}\r\n${page}`;
const chunked = (body: string, fields = '') =>
  `HTTP/1.1 200 OK\r\n${type}Transfer-Encoding: chunked\r\n${fields}\r\n${body}`;
const zipped = (coding: string, bytes: Buffer) =>
  Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${type}Content-Encoding: ${coding}\r\n\r\n`), bytes]);
const junk = Buffer.from('what the server wrote behind it');

/** curl 8 and Chromium read all of these alike. */
const accepted: [string, string | Buffer][] = [
  ['line feeds alone', answer(length).replaceAll('\r', '')],
  ['a version in lower case', answer(length, 'http/1.1 200 OK')],
  ['no reason', answer(length, 'HTTP/1.1 200')],
  ['another version', answer(length, 'HTTP/2.0 200 OK')],
  ['a control character in the reason', answer(length, 'HTTP/1.1 200 O\u0001K')],
  ['the same length twice', answer(length + length)],
  ['the same length twice in one field', answer(`Content-Length: ${page.length}, ${page.length}\r\n`)],
  ['a length that is no number any more', answer(`Content-Length: ${'9'.repeat(25)}\r\n`)],
  ['a length with a plus', answer(`Content-Length: +${page.length}\r\n`)],
  ['a folded field', answer(`X-Folded: one\r\n two\r\n${length}`)],
  ['a space before a colon', answer(`X-Spaced : yes\r\n${length}`)],
  ['a space in a name', answer(`X Powered By: slate\r\n${length}`)],
  ['a field without a name', answer(`: nothing\r\n${length}`)],
  ['control characters in a value', answer(`X-Control: a\u0001b\u007f\r\n${length}`)],
  ['a carriage return in a value', answer(`X-Return: a\rb\r\n${length}`)],
  ['a coding that is none', answer(`Transfer-Encoding: identity\r\n${length}`)],
  ['chunks beside a length', chunked(`${size}\r\n${page}\r\n0\r\n\r\n`, length)],
  ['chunks said twice', chunked(`${size}\r\n${page}\r\n0\r\n\r\n`, 'Transfer-Encoding: chunked\r\n')],
  [
    'chunks said after a coding that is none',
    chunked(`${size}\r\n${page}\r\n0\r\n\r\n`).replace('Transfer', 'Transfer-Encoding: identity\r\nTransfer'),
  ],
  [
    'chunks said before a coding that is none',
    chunked(`${size}\r\n${page}\r\n0\r\n\r\n`).replace('chunked', 'chunked, identity'),
  ],
  ['padded sizes of chunks', chunked(`${size}  \r\n${page}\r\n0 \r\n\r\n`)],
  ['sizes behind zeros', chunked(`0000${size}\r\n${page}\r\n0000\r\n\r\n`)],
  ['sizes before line feeds alone', chunked(`${size}\n${page}\n0\n\n`)],
  ['extensions that are none', chunked(`${size} ; name = "a b"\r\n${page}\r\n0;\r\n\r\n`)],
  ['trailers that are no fields', chunked(`${size}\r\n${page}\r\n0\r\nno field\r\n\r\n`)],
  ['bytes behind gzip', zipped('gzip', Buffer.concat([gzipSync(page), junk]))],
  [
    'the beginning of another gzip',
    zipped('gzip', Buffer.concat([gzipSync(page), Buffer.from([0x1f, 0x8b, 1])])),
  ],
  ['gzip without its checksum', zipped('gzip', gzipSync(page).subarray(0, -8))],
  ['bytes behind deflate', zipped('deflate', Buffer.concat([deflateSync(page), junk]))],
  ['bytes behind br', zipped('br', Buffer.concat([brotliCompressSync(page), junk]))],
  ['bytes behind zstd', zipped('zstd', Buffer.concat([zstdCompressSync(page), junk]))],
  [
    'several frames of zstd',
    zipped('zstd', Buffer.concat([page.slice(0, 9), page.slice(9)].map((part) => zstdCompressSync(part)))),
  ],
  [
    'a frame of zstd that is to be skipped',
    zipped('zstd', Buffer.concat([Buffer.from('502a4d1803000000010203', 'hex'), zstdCompressSync(page)])),
  ],
];

async function read(starting: Promise<Origin>) {
  await using origin = await starting;
  await using door = openLoopbackDoor();
  await using lease = door.openLease();
  return await lease.fetch({ url: origin.url, timeoutMs: 5_000 });
}

describe('an answer that browsers read', () => {
  it.each(accepted)('is read with %s', async (_what, bytes) => {
    const { status, body, headers, truncated } = await read(startCannedOrigin(bytes));
    expect({ status, text: body.toString(), truncated }).toEqual({
      status: 200,
      text: page,
      truncated: false,
    });
    expect(headers['content-type']).toBe('text/html');
  });

  it.each([
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ] as const)('is whole with bytes behind %s, though it has no end yet', async (coding, compress) => {
    const bytes = zipped(coding, Buffer.concat([compress(page), junk]));
    const { body, truncated } = await read(
      startRawOrigin((socket) => socket.once('data', () => socket.write(bytes)).on('error', () => undefined)),
    );
    expect([body.toString(), truncated]).toEqual([page, false]);
  });

  it.each(accepted)('is passed on to a browser with %s', async (_what, bytes) => {
    await using origin = await startCannedOrigin(bytes);
    await using door = openLoopbackDoor();
    await using lease = door.openLease();
    const proxy = await lease.openProxy();
    const passed = await new Promise<string>((resolve, reject) => {
      const socket = connect(proxy.port, proxy.host, () =>
        socket.write(
          signed(proxy, `GET ${origin.url} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`),
        ),
      );
      let text = '';
      socket.on('data', (data) => (text += data.toString('latin1')));
      socket.once('error', reject).once('close', () => resolve(text));
    });
    expect(passed).toMatch(/^HTTP\/1\.1 200 /);
    expect(passed).toMatch(/\r\nContent-Type: text\/html\r\n/i);
    if (!/Content-Encoding/i.test(passed)) expect(passed).toContain(page);
  });

  it('has no body where the connection ends within its head', async () => {
    const { status, body, headers } = await read(
      startCannedOrigin('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Cut: ye'),
    );
    expect({ status, bytes: body.length }).toEqual({ status: 200, bytes: 0 });
    expect(headers['content-type']).toBe('text/html');
  });

  it.each([1, 3, 7])('is read where it comes %i bytes at a time', async (step) => {
    const bytes = Buffer.from(
      `HTTP/1.1 103 Early Hints\r\n\r\n${accepted[19]?.[1].toString('latin1')}`,
      'latin1',
    );
    const origin = startRawOrigin((socket) => {
      socket.setNoDelay(true);
      socket.once('data', async () => {
        for (let at = 0; at < bytes.length; at += step) {
          await new Promise((resolve) => socket.write(bytes.subarray(at, at + step), resolve));
        }
        socket.end();
      });
    });
    expect((await read(origin)).body.toString()).toBe(page);
  });

  it('does not share its connection where it had to be mended', async () => {
    await using origin = await startRawOrigin((socket) => {
      socket.on('data', () => socket.write(answer(length, 'http/1.1 200 OK')));
    });
    await using door = openLoopbackDoor();
    await using lease = door.openLease();
    for (let n = 0; n < 2; n++) expect((await lease.fetch({ url: origin.url })).body.toString()).toBe(page);
    expect(origin.connections).toBe(2);
  });
});

describe('an answer that nobody reads', () => {
  it.each([
    ['chunks that are none', chunked(page)],
    ['sizes behind spaces', chunked(`  ${size}\r\n${page}\r\n0\r\n\r\n`)],
  ])('is a protocol error with %s, not an empty page', async (_what, bytes) => {
    expect((await failureOf(read(startCannedOrigin(bytes)))).code).toBe('target_protocol_error');
  });
});

describe('a Location', () => {
  it.each([
    ['bytes of UTF-8', 'Location: /gr\u00c3\u00bcn\r\n', '/gr%C3%BCn'],
    ['bytes of Latin-1', 'Location: /gr\u00fcn\r\n', '/gr%FCn'],
    ['two that are alike', 'Location: /end\r\nLocation: /end\r\n', '/end'],
  ])('leads where it leads in a browser: %s', async (_what, fields, path) => {
    const asked: string[] = [];
    const origin = startRawOrigin((socket) => {
      socket.on('data', (data) => {
        const [, at = ''] = data.toString('latin1').split(' ');
        asked.push(at);
        const redirect = `HTTP/1.1 302 Found\r\n${fields}Content-Length: 0\r\n\r\n`;
        socket.write(Buffer.from(at === '/' ? redirect : answer(length), 'latin1'));
      });
    });
    expect((await read(origin)).body.toString()).toBe(page);
    expect(asked).toEqual(['/', path]);
  });

  it('takes along the cookies of its path only, and none that no browser keeps', async () => {
    const seen: string[] = [];
    const origin = startOrigin((request, response) => {
      seen.push(`${request.url} ${request.headers.cookie ?? ''}`);
      if (request.url !== '/') return void response.end(page);
      response.setHeader('set-cookie', [
        'a=1; Path=/',
        'b=2; Path=/other',
        'c=3; Path=/shop',
        'd=4; Path=/sho',
        `e=${'5'.repeat(5_000)}; Path=/`,
      ]);
      response.writeHead(302, { location: '/shop/end' }).end();
    });
    await read(origin);
    // RFC 6265, 5.4: longer paths first.
    expect(seen).toEqual(['/ ', '/shop/end c=3; a=1']);
  });
});
