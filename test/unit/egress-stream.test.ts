import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync, deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createFetch } from '../../src/shared/egress/fetch.ts';
import { failureOf, openLoopbackDoor, startOrigin } from '../support/egress-origin.ts';

const megabyte = Buffer.alloc(1_048_576, 'x');

async function* megabytes(count: number): AsyncGenerator<Buffer> {
  for (let i = 0; i < count; i++) yield megabyte;
}

async function sizeAndHash(body: AsyncIterable<Uint8Array>): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of body) {
    hash.update(piece);
    bytes += piece.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}

describe('stream', () => {
  it('resolves with the headers, and gives the body as it comes', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await using origin = await startOrigin(async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
      await released;
      response.end('data: 2\n\n');
    });
    await using door = openLoopbackDoor();
    await using lease = door.openLease();
    const { status, headers, body } = await lease.stream({ url: origin.url });
    expect([status, headers['content-type']]).toEqual([200, 'text/event-stream']);
    const pieces: string[] = [];
    for await (const piece of body) {
      pieces.push(piece.toString());
      release();
    }
    expect(pieces).toEqual(['data: 1\n\n', 'data: 2\n\n']);
    expect(lease.outcomes.map(({ result }) => result)).toEqual(['ok']);
  });

  it('decodes the body, raw deflate included', async () => {
    await using origin = await startOrigin((request, response) => {
      const coding = request.url?.slice(1) ?? '';
      const encode = coding === 'gzip' ? gzipSync : deflateRawSync;
      response.writeHead(200, { 'content-encoding': coding }).end(encode(megabyte));
    });
    await using door = openLoopbackDoor();
    await using lease = door.openLease();
    for (const coding of ['gzip', 'deflate']) {
      const { body } = await lease.stream({ url: `${origin.url}${coding}` });
      expect((await sizeAndHash(body)).bytes).toBe(megabyte.length);
    }
  });

  it('inflates no more than is read', async () => {
    const bomb = gzipSync(Buffer.alloc(60 * megabyte.length));
    await using origin = await startOrigin((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    });
    await using door = openLoopbackDoor();
    await using lease = door.openLease();
    const before = process.memoryUsage().arrayBuffers;
    const { body } = await lease.stream({ url: origin.url });
    const pieces = body[Symbol.asyncIterator]();
    const first = await pieces.next();
    await delay(500);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10 * megabyte.length);
    const { bytes } = await sizeAndHash({ [Symbol.asyncIterator]: () => pieces });
    expect((first.value as Buffer).length + bytes).toBe(60 * megabyte.length);
  });

  it('fails with a clear code where the body breaks off, stalls, is too large or is not what it says', async () => {
    await using origin = await startOrigin((request, response) => {
      if (request.url === '/garbage') response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip');
      else if (request.url === '/broken-gzip') {
        response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': '1000' });
        response.flushHeaders();
        setTimeout(() => response.destroy(), 20);
      } else if (request.url === '/broken') {
        response.writeHead(200, { 'content-length': '1000' }).write('part', () => response.destroy());
      } else if (request.url === '/large') response.end(megabyte);
      else response.writeHead(200).write('part');
    });
    await using door = openLoopbackDoor();
    await using lease = door.openLease();
    const codeOf = async (path: string, bounds = {}) => {
      const { body } = await lease.stream({ url: `${origin.url}${path}`, ...bounds });
      return (await failureOf(sizeAndHash(body))).code;
    };
    expect(await codeOf('garbage')).toBe('target_protocol_error');
    expect(await codeOf('broken')).toBe('target_unreachable');
    const unread = await lease.stream({ url: `${origin.url}broken-gzip` });
    // Broken off before it is read.
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect((await failureOf(sizeAndHash(unread.body))).code).toBe('target_unreachable');
    expect(await codeOf('stalled', { idleTimeoutMs: 50 })).toBe('target_timeout');
    expect(await codeOf('large', { maxBodyBytes: 1_000 })).toBe('target_too_large');
  });

  it('ends with the byte budget of its lease', async () => {
    await using origin = await startOrigin(async (_request, response) => {
      for await (const piece of megabytes(20)) {
        if (response.destroyed) break;
        if (!response.write(piece)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
      }
      response.end();
    });
    await using door = openLoopbackDoor();
    await using lease = door.openLease({ byteBudget: 4_000_000 });
    const { body } = await lease.stream({ url: origin.url });
    expect((await failureOf(sizeAndHash(body))).code).toBe('target_too_large');
  });

  it('closes its connection when it is left, and when its signal aborts', async () => {
    let closed = 0;
    await using origin = await startOrigin((_request, response) => {
      response.once('close', () => closed++);
      response.writeHead(200).write('part');
    });
    await using door = openLoopbackDoor();
    await using lease = door.openLease();
    const left = await lease.stream({ url: origin.url });
    for await (const piece of left.body) {
      expect(piece.toString()).toBe('part');
      break;
    }
    await expect.poll(() => closed).toBe(1);
    const unread = await lease.stream({ url: origin.url });
    unread.body.destroy();
    await expect.poll(() => closed).toBe(2);
    const abort = new AbortController();
    const aborted = await lease.stream({ url: origin.url, signal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(sizeAndHash(aborted.body)).rejects.toThrow('enough');
    await expect.poll(() => closed).toBe(3);
  });

  it('sends a body as it comes, with its length where that is known', async () => {
    await using origin = await startOrigin(async (request, response) => {
      const { bytes } = await sizeAndHash(request);
      response.end(JSON.stringify({ method: request.method, headers: request.headers, bytes }));
    });
    await using door = openLoopbackDoor();
    await using lease = door.openLease();
    const put = async (more: object) => {
      const { body } = await lease.stream({ url: origin.url, method: 'PUT', body: megabytes(8), ...more });
      return JSON.parse(Buffer.concat(await body.toArray()).toString()) as Record<string, any>;
    };
    expect(await put({})).toMatchObject({ bytes: 8_388_608, headers: { 'transfer-encoding': 'chunked' } });
    const known = await put({ bodyBytes: 8_388_608 });
    expect(known).toMatchObject({ method: 'PUT', headers: { 'content-length': '8388608' } });
    const failing = async function* () {
      yield megabyte;
      throw new Error('the file is gone');
    };
    await expect(put({ body: failing() })).rejects.toThrow('the file is gone');
  });

  it('does not send a streamed body on to where a redirect leads', async () => {
    await using origin = await startOrigin((request, response) => {
      request.resume().once('end', () => response.writeHead(307, { location: '/next' }).end());
    });
    await using door = openLoopbackDoor();
    await using lease = door.openLease();
    const sent = lease.stream({ url: origin.url, method: 'PUT', body: megabytes(1) });
    expect((await failureOf(sent)).code).toBe('target_protocol_error');
  });

  it('sends the body of a DELETE with its length', async () => {
    await using origin = await startOrigin(async (request, response) => {
      response.end(JSON.stringify([request.method, (await request.toArray()).join('')]));
    });
    await using door = openLoopbackDoor();
    await using lease = door.openLease();
    const answer = await lease.fetch({ url: origin.url, method: 'DELETE', body: 'which' });
    expect(answer.body.toString()).toBe('["DELETE","which"]');
  });
});

describe('createFetch', () => {
  it('speaks as fetch does: methods, headers, JSON, forms, streams, status without a body', async () => {
    await using origin = await startOrigin(async (request, response) => {
      if (request.url === '/empty') return void response.writeHead(204).end();
      const body = (await request.toArray()).join('');
      response.writeHead(
        201,
        [
          ['set-cookie', 'a=1'],
          ['set-cookie', 'b=2'],
        ].flat(),
      );
      response.end(JSON.stringify({ method: request.method, headers: request.headers, body }));
    });
    await using door = openLoopbackDoor();
    await using lease = door.openLease();
    const ask = createFetch(lease);
    const answer = await ask(origin.url, {
      method: 'POST',
      headers: { authorization: 'Bearer x', 'content-type': 'application/json', host: 'not.ours' },
      body: JSON.stringify({ a: 1 }),
    });
    expect([answer.status, answer.url, answer.headers.getSetCookie()]).toEqual([
      201,
      origin.url,
      ['a=1', 'b=2'],
    ]);
    expect(await answer.json()).toMatchObject({
      method: 'POST',
      body: '{"a":1}',
      headers: { authorization: 'Bearer x', 'content-length': '7', host: `127.0.0.1:${origin.port}` },
    });
    const form = new FormData();
    form.set('file', new Blob(['text']), 'a.txt');
    const formed = await ask(new Request(origin.url, { method: 'POST', body: form }));
    expect(await formed.json()).toMatchObject({
      headers: { 'content-type': expect.stringMatching(/^multipart\/form-data; boundary=/) },
    });
    const streamed = await ask(origin.url, {
      method: 'PUT',
      body: new Blob(['in ', 'parts']).stream(),
      duplex: 'half',
    } as RequestInit);
    expect(await streamed.json()).toMatchObject({ method: 'PUT', body: 'in parts' });
    const empty = await ask(`${origin.url}empty`);
    expect([empty.status, await empty.text()]).toEqual([204, '']);
  });

  it('follows a redirect only where it is told to', async () => {
    await using origin = await startOrigin((request, response) => {
      if (request.url === '/') response.writeHead(302, { location: '/next' }).end();
      else response.end('next');
    });
    await using door = openLoopbackDoor();
    await using lease = door.openLease();
    const ask = createFetch(lease);
    expect((await ask(origin.url)).status).toBe(302);
    const followed = await ask(origin.url, { redirect: 'follow' });
    expect([followed.redirected, followed.url]).toEqual([true, `${origin.url}next`]);
    expect(await followed.text()).toBe('next');
    await expect(ask(origin.url, { redirect: 'error' })).rejects.toThrow(TypeError);
  });

  it('rejects as fetch does, with the cause; and with the reason of its signal, in the body too', async () => {
    await using origin = await startOrigin((_request, response) => response.writeHead(200).write('part'));
    await using door = openLoopbackDoor();
    await using lease = door.openLease({ hosts: [`127.0.0.1:${origin.port}`] });
    const ask = createFetch(lease);
    await expect(ask('http://other.test/')).rejects.toMatchObject({
      name: 'TypeError',
      cause: { code: 'url_not_allowed' },
    });
    const abort = new AbortController();
    const answer = await ask(origin.url, { signal: abort.signal });
    const text = answer.text();
    abort.abort(new Error('enough'));
    await expect(text).rejects.toThrow('enough');
    await expect(ask(origin.url, { signal: abort.signal })).rejects.toThrow('enough');
  });
});
