import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { EgressRequest, EgressResponse } from '../../src/shared/egress/types.ts';
import {
  failureOf,
  openLoopbackDoor,
  type Origin,
  startCannedOrigin,
  startOrigin,
  startRawOrigin,
} from '../support/egress-origin.ts';

const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n';

function fastBrotli(bytes: Buffer): Buffer {
  return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
}

async function fetchFrom(
  starting: Promise<Origin>,
  request: Partial<EgressRequest> = {},
): Promise<EgressResponse> {
  await using origin = await starting;
  await using door = openLoopbackDoor();
  await using lease = door.openLease();
  return await lease.fetch({ url: origin.url, ...request });
}

function slowly(socket: Socket, first: string): void {
  socket.once('data', () => {
    socket.write(first);
    const timer = setInterval(() => socket.write('ab'), 50);
    socket.once('close', () => clearInterval(timer));
  });
}

describe('a body longer than its bound', () => {
  it('is cut at its bound where that is wanted', async () => {
    const plain = startOrigin((_request, response) => response.end('x'.repeat(5_000_000)));
    const answer = await fetchFrom(plain, { maxBodyBytes: 1_000_000, cutsBody: true });
    expect([answer.body.length, answer.truncated]).toEqual([1_000_000, true]);
    const bytes = gzipSync('y'.repeat(5_000_000));
    const zipped = startOrigin((_request, response) =>
      response.setHeader('content-encoding', 'gzip').end(bytes),
    );
    const part = await fetchFrom(zipped, { maxBodyBytes: 1_000_000, cutsBody: true });
    expect(part.truncated).toBe(true);
    expect(part.body.length).toBeGreaterThan(500_000);
  });
});

describe('a target that never ends', () => {
  it('times out when it accepts but sends nothing', async () => {
    const silent = startRawOrigin(() => undefined);
    const failure = await failureOf(fetchFrom(silent, { firstByteTimeoutMs: 100 }));
    expect([failure.code, failure.result]).toEqual(['target_timeout', 'timeout']);
  });

  it('times out when its headers never end', async () => {
    const failure = await failureOf(
      fetchFrom(
        startRawOrigin((socket) => slowly(socket, `${head}X-Slow: `)),
        { firstByteTimeoutMs: 200 },
      ),
    );
    expect(failure.code).toBe('target_timeout');
  });

  it('gives what came of a slow body, truncated, at the deadline', async () => {
    const startedAt = performance.now();
    const answer = await fetchFrom(
      startRawOrigin((socket) => slowly(socket, `${head}\r\n<p>`)),
      { timeoutMs: 1_500 },
    );
    expect(answer.truncated).toBe(true);
    expect(answer.body.toString()).toMatch(/^<p>(ab)+$/);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  it('gives what came of a slow gzip body', async () => {
    const zipped = gzipSync(Buffer.from(Array.from({ length: 30_000 }, (_, i) => String(i)).join(' ')));
    const starting = startOrigin((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.write(zipped.subarray(0, zipped.length / 2));
    });
    const answer = await fetchFrom(starting, { timeoutMs: 1_500 });
    expect(answer.truncated).toBe(true);
    expect(answer.body.toString()).toMatch(/^0 1 2 3 /);
  });

  it('times out when headers came but no byte of the body', async () => {
    const failure = await failureOf(fetchFrom(startCannedOriginOpen(`${head}\r\n`), { timeoutMs: 150 }));
    expect(failure.code).toBe('target_timeout');
  });

  it('has answered by its head where the body has a time of its own', async () => {
    const silent = () => startCannedOriginOpen(`${head}\r\n`);
    const bounded = await fetchFrom(silent(), { timeoutMs: 20_000, bodyTimeoutMs: 100 });
    expect(bounded).toMatchObject({ status: 200, truncated: true, body: Buffer.alloc(0) });
    expect(bounded.timings.totalMs - bounded.timings.headMs).toBeGreaterThan(90);
    expect(bounded.timings.totalMs).toBeLessThan(10_000);
    const over = await fetchFrom(silent(), { timeoutMs: 500, bodyTimeoutMs: 5_000 });
    expect(over).toMatchObject({ status: 200, truncated: true, body: Buffer.alloc(0) });
    const left = await fetchFrom(silent(), { readBody: () => false });
    expect(left.timings.totalMs - left.timings.headMs).toBeGreaterThan(20);
  });

  it('fails with the caller’s own reason when the caller gives up', async () => {
    const reason = new Error('job canceled');
    const giveUp = new AbortController();
    setTimeout(() => giveUp.abort(reason), 50);
    const starting = startRawOrigin((socket) => slowly(socket, `${head}\r\n`));
    await expect(fetchFrom(starting, { signal: giveUp.signal })).rejects.toBe(reason);
  });
});

/** Answers and leaves the connection open. */
function startCannedOriginOpen(answer: string): Promise<Origin> {
  return startRawOrigin((socket) => socket.once('data', () => socket.write(answer)));
}

describe('a target that is too large', () => {
  const endless = (): Promise<Origin> =>
    startOrigin((_request, response) => {
      response.writeHead(200);
      const chunk = Buffer.alloc(65_536, 'a');
      const source = new Readable({ read: () => void source.push(chunk) });
      response.once('close', () => source.destroy());
      source.pipe(response);
    });

  it('is given up at the body limit', async () => {
    const failure = await failureOf(fetchFrom(endless(), { maxBodyBytes: 1_000_000 }));
    expect([failure.code, failure.result]).toEqual(['target_too_large', 'budget']);
  });

  it('is given up at once when it says so', async () => {
    const failure = await failureOf(
      fetchFrom(startCannedOriginOpen(`${head}Content-Length: 10000000000\r\n\r\n`)),
    );
    expect(failure.code).toBe('target_too_large');
  });

  it('is given up at the byte budget of the lease, which then takes no more requests', async () => {
    await using origin = await endless();
    await using door = openLoopbackDoor();
    await using lease = door.openLease({ byteBudget: 500_000 });
    const failure = await failureOf(lease.fetch({ url: origin.url }));
    expect([failure.code, failure.result]).toEqual(['target_too_large', 'budget']);
    expect(failure.detail).toContain('500000');
    expect((await failureOf(lease.fetch({ url: origin.url }))).code).toBe('target_too_large');
    expect(lease.outcomes).toMatchObject([{ result: 'budget' }]);
    expect(lease.failureOf(origin.url)?.code).toBe('target_too_large');
    expect(lease.bytesReceived).toBeLessThan(2_000_000);
  });

  const zeros = Buffer.alloc(64 * 1024 * 1024);
  const bombs: [string, () => Buffer][] = [
    ['gzip', () => gzipSync(zeros)],
    ['br', () => fastBrotli(zeros)],
    ['zstd', () => zstdCompressSync(zeros)],
    ['gzip, gzip', () => gzipSync(gzipSync(zeros))],
    // The outer layers grow, the innermost gives nothing: empty members, one after another.
    ['gzip, br', () => fastBrotli(Buffer.alloc(4_000_000, gzipSync('')))],
  ];
  it.each(bombs)('is given up when it is a bomb of %s', async (coding, make) => {
    const bomb = make();
    const before = process.memoryUsage().rss;
    const starting = startOrigin((_request, response) => {
      response.writeHead(200, { 'content-encoding': coding }).end(bomb);
    });
    const failure = await failureOf(fetchFrom(starting, { maxBodyBytes: 1_000_000 }));
    expect(failure.code).toBe('target_too_large');
    expect(process.memoryUsage().rss - before).toBeLessThan(60_000_000);
  });

  it('costs no more memory when it comes byte by byte', async () => {
    const bytes = Buffer.from('1\r\na\r\n'.repeat(1_000_000));
    const before = process.memoryUsage().rss;
    const { body } = await fetchFrom(
      startCannedOrigin(
        Buffer.concat([
          Buffer.from(`${head}Transfer-Encoding: chunked\r\n\r\n`),
          bytes,
          Buffer.from('0\r\n\r\n'),
        ]),
      ),
    );
    expect(body.length).toBe(1_000_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
  });

  it('is a protocol error when it is compressed more than four times over', async () => {
    const starting = startCannedOrigin(`${head}Content-Encoding: ${'gzip, '.repeat(5)}\r\n\r\nx`);
    expect((await failureOf(fetchFrom(starting))).code).toBe('target_protocol_error');
  });

  it('is a protocol error when its headers are', async () => {
    const starting = startCannedOrigin(`${head}${`Set-Cookie: a=${'b'.repeat(4_000)}\r\n`.repeat(100)}\r\n`);
    const failure = await failureOf(fetchFrom(starting));
    expect([failure.code, failure.result]).toEqual(['target_protocol_error', 'protocol']);
  });

  it.each([
    ['as HTTP has them', '\r\n'],
    ['that are to be mended', '\n'],
  ])('is read with what follows 5,000 headers %s, and refused with 11,000', async (_how, end) => {
    const answer = (count: number) => {
      const cookies = Array.from({ length: count }, (_, i) => `Set-Cookie: c${i}=1${end}`).join('');
      return startCannedOrigin(
        `HTTP/1.1 200 OK${end}${cookies}Content-Type: text/plain${end}Content-Length: 4${end}${end}page`,
      );
    };
    const { headers, body } = await fetchFrom(answer(5_000));
    expect(headers['set-cookie']?.split('\n')).toHaveLength(5_000);
    expect([headers['content-type'], body.toString()]).toEqual(['text/plain', 'page']);
    const failure = await failureOf(fetchFrom(answer(11_000)));
    expect([failure.code, failure.result]).toEqual(['target_protocol_error', 'protocol']);
    expect(failure.detail).toContain('10000 headers');
  });
});

describe('a target that does not keep to HTTP', () => {
  it.each([
    ['garbage', '\u0000\u0001\u0002 garbage\r\n\r\n'],
    ['HTTP/0.9', '<html>no headers</html>'],
    ['another protocol', '220 mail.example.com ESMTP\r\n'],
    ['a negative status', 'HTTP/1.1 -1 No\r\n\r\n'],
    ['a status of four digits', 'HTTP/1.1 2000 No\r\n\r\n'],
    ['a header without a colon', 'HTTP/1.1 200 OK\r\nbroken header\r\n\r\n'],
    ['two lengths', `${head}Content-Length: 4\r\nContent-Length: 5\r\n\r\npage`],
  ])('is a protocol error when it sends %s', async (_name, answer) => {
    const failure = await failureOf(fetchFrom(startCannedOrigin(answer)));
    expect([failure.code, failure.result]).toEqual(['target_protocol_error', 'protocol']);
  });

  it('is unreachable when it closes without a word', async () => {
    const failure = await failureOf(fetchFrom(startRawOrigin((socket) => socket.destroy())));
    expect([failure.code, failure.result]).toEqual(['target_unreachable', 'reset']);
  });

  it('is unreachable when it switches to a protocol that nobody asked for', async () => {
    const answer = 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n';
    expect((await failureOf(fetchFrom(startCannedOrigin(answer)))).code).toMatch(
      /^target_(unreachable|protocol_error)$/,
    );
  });

  it('has its status passed on, however strange', async () => {
    expect(
      (await fetchFrom(startCannedOrigin('HTTP/1.1 999 Denied\r\nContent-Length: 0\r\n\r\n'))).status,
    ).toBe(999);
  });

  it('has 100 informational responses skipped', async () => {
    const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n'.repeat(50);
    const answer = await fetchFrom(startCannedOrigin(`${hints}${head}Content-Length: 4\r\n\r\npage`));
    expect([answer.status, answer.body.toString()]).toEqual([200, 'page']);
  });

  it('times out when nothing but informational responses come', async () => {
    const starting = startCannedOriginOpen('HTTP/1.1 199 Wait\r\n\r\n');
    expect((await failureOf(fetchFrom(starting, { firstByteTimeoutMs: 100 }))).code).toBe('target_timeout');
  });

  it.each([
    ['shorter than its Content-Length', `${head}Content-Length: 100\r\n\r\npage`],
    ['longer than its Content-Length', `${head}Content-Length: 4\r\n\r\npage and more`],
    ['cut off within its chunks', `${head}Transfer-Encoding: chunked\r\n\r\n4\r\npage\r\n`],
  ])('gives a truncated body when it is %s', async (_name, answer) => {
    const { body, truncated } = await fetchFrom(startCannedOrigin(answer));
    expect([body.toString(), truncated]).toEqual(['page', true]);
  });

  it.each(['gzip', 'br', 'zstd', 'deflate'])(
    'is a protocol error when its body is not the %s that it says',
    async (coding) => {
      const starting = startCannedOrigin(
        `${head}Content-Encoding: ${coding}\r\nContent-Length: 12\r\n\r\n<html>hello>`,
      );
      expect((await failureOf(fetchFrom(starting))).code).toBe('target_protocol_error');
    },
  );

  it.each([
    ['gzip', gzipSync],
    ['br', fastBrotli],
    ['zstd', zstdCompressSync],
  ])('gives a truncated body when its %s ends early', async (coding, compress) => {
    const text = Buffer.from(
      Array.from({ length: 100_000 }, (_, i) => String((i * 7919) % 99_991)).join(' '),
    );
    const whole = compress(text);
    const starting = startOrigin((_request, response) => {
      response.writeHead(200, { 'content-encoding': coding }).end(whole.subarray(0, whole.length - 2_000));
    });
    const { body, truncated } = await fetchFrom(starting);
    expect(truncated).toBe(true);
    expect(body.length).toBeGreaterThan(1_000);
    expect(text.subarray(0, body.length).equals(body)).toBe(true);
  });
});
