import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import Koa from 'koa';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ApiContext } from '../../src/api/http/context.ts';
import { toAppError } from '../../src/api/http/problem.ts';
import { sendFile, sendPieces } from '../../src/api/http/send-file.ts';
import { createDb, type Db } from '../../src/shared/db/client.ts';
import { createEgressDoor } from '../../src/shared/egress/door.ts';
import { deleteDeadFiles } from '../../src/shared/files/dead-files.ts';
import { createS3Store } from '../../src/shared/files/s3-store.ts';
import { createFileStores } from '../../src/shared/files/stores.ts';
import { call } from '../support/client.ts';
import { environmentOf } from '../support/processes.ts';
import { findSignature } from '../support/s3-signature.ts';
import { type S3Server, startS3Server } from '../support/s3-server.ts';
import { type Service, startService } from '../support/service.ts';

const megabyte = 1024 * 1024;

let s3: S3Server;
let service: Service;
let db: Db;
beforeAll(async () => {
  s3 = await startS3Server();
  const EXTENSIONS = join(import.meta.dirname, '../support/operations');
  service = await startService({ env: { EXTENSIONS, ...s3.env } });
  db = createDb({
    url: environmentOf(service)['DATABASE_URL'] ?? '',
    poolSize: 2,
    onError: () => undefined,
  });
});
afterAll(async () => {
  await db?.destroy();
  await service?.stop();
  await egress[Symbol.asyncDispose]();
  await s3?.[Symbol.asyncDispose]();
});

const egress = createEgressDoor({ allow: ['127.0.0.0/8'] });
const settings = () => ({
  endpoint: new URL(s3.env.S3_ENDPOINT),
  bucket: s3.env.S3_BUCKET,
  region: s3.env.S3_REGION,
  accessKeyId: s3.env.S3_ACCESS_KEY_ID,
  secretAccessKey: s3.env.S3_SECRET_ACCESS_KEY,
});

const ask = (path: string, options: Parameters<typeof call>[1] = {}) =>
  call<Record<string, any>>(path, { key: service.key, ...options }, service.url);
const write = (body: object) => ask('/api/proxy/test/v1/files', { body });
const jobOf = async (id: string) => (await ask(`/api/proxy/jobs/${id}`)).body['data'];
async function sweep(): Promise<void> {
  while ((await deleteDeadFiles(db, createFileStores({ db, s3: settings(), egress }))) > 0);
}

async function* parts(count: number, bytes: number): AsyncGenerator<Buffer> {
  for (let n = 0; n < count; n++) yield Buffer.alloc(bytes, n);
}

describe('with S3_ENDPOINT and its group', () => {
  test('files of every size are written to the bucket and read from it, in ranges too', async () => {
    const sizesBytes = [0, 5, 5 * megabyte, 20 * megabyte + 3];
    const { status, body } = await write({ sizesBytes });
    expect(status).toBe(200);
    expect(body['data'].files.every((file: { isWhole: boolean }) => file.isWhole)).toBe(true);
    const { files } = await jobOf(body['meta'].jobId);
    expect(files.map((file: { bytes: number }) => file.bytes)).toEqual(sizesBytes);
    const { url, sha256 } = files[3];
    const whole = Buffer.from(await (await fetch(url)).arrayBuffer());
    expect(createHash('sha256').update(whole).digest('hex')).toBe(sha256);
    const [start, end] = [5 * megabyte - 3, 16 * megabyte + 3];
    const part = await fetch(url, { headers: { Range: `bytes=${start}-${end}` } });
    expect(part.status).toBe(206);
    expect(Buffer.from(await part.arrayBuffer()).equals(whole.subarray(start, end + 1))).toBe(true);
    const rows = await db.selectFrom('file_chunks').select('file_id').execute();
    expect(rows).toEqual([]);
  });

  test('files go with their job, and those that were replaced', async () => {
    const { body } = await write({ sizesBytes: [3 * megabyte, 10], resumes: true, again: true });
    const { jobId } = body['meta'];
    const ids = (
      await db.selectFrom('files').select(['id', 'state']).where('job_id', '=', jobId).execute()
    ).map((row) => row.id);
    expect(ids).toHaveLength(3);
    const countStored = async () => {
      const stored = await s3.listStored();
      return ids.filter((id) => stored.some((path) => path.includes(id))).length;
    };
    expect(await countStored()).toBe(3);
    await sweep();
    expect(await countStored()).toBe(2);
    await ask(`/api/proxy/jobs/${jobId}`, { method: 'DELETE' });
    const { id: heldId } = await db
      .selectFrom('files')
      .select('id')
      .where('job_id', '=', jobId)
      .executeTakeFirstOrThrow();
    await s3.hold([heldId]);
    await expect(sweep()).rejects.toThrow('refuses to delete 1');
    await s3.hold([]);
    expect(await countStored()).toBe(1);
    await sweep();
    expect(await countStored()).toBe(0);
  });

  test('a secret that is wrong is refused, by us as by the server', async () => {
    const store = createS3Store({ ...settings(), secretAccessKey: 'another' }, egress);
    await expect(store.write('refused', parts(1, 10), async () => undefined)).rejects.toThrow(
      'SignatureDoesNotMatch',
    );
  });
});

test('whatever a client reads of a file, no lease is left of it', async () => {
  let opened = 0;
  let ended = 0;
  const store = createS3Store(settings(), {
    openLease(options) {
      const lease = egress.openLease(options);
      lease.signal.addEventListener('abort', () => (ended += 1));
      opened += 1;
      return lease;
    },
  });
  const sizeBytes = 10 * megabyte;
  await store.write('served', parts(2, sizeBytes / 2), async () => undefined);
  const app = new Koa();
  app.silent = true;
  app.use((ctx) =>
    sendFile(ctx as unknown as ApiContext, {
      contentType: 'application/octet-stream',
      sizeBytes,
      etag: 'x',
      read: (range) => store.read('served', range),
    }),
  );
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  for (const Range of ['bytes=0-9', 'bytes=0-']) {
    const answer = await fetch(url, { headers: { Range } });
    expect(answer.status).toBe(206);
    await answer.arrayBuffer();
  }
  const left = new AbortController();
  await fetch(url, { signal: left.signal });
  left.abort();
  await expect.poll(() => [opened, ended]).toEqual([4, 4]);
  server.close();

  const ctx = { method: 'GET', res: new PassThrough() } as unknown as ApiContext;
  await sendPieces(ctx, store.read('served', { start: 0, end: sizeBytes - 1 }), sizeBytes);
  (ctx.body as Readable).destroy();
  await expect.poll(() => [opened, ended]).toEqual([5, 5]);
});

test('an upload that broke off is deleted, with what was uploaded of it', async () => {
  const store = createS3Store(settings(), egress);
  let uploadId: string | null = null;
  async function* broken(): AsyncGenerator<Buffer> {
    yield* parts(2, 6 * megabyte);
    throw new Error('broken off');
  }
  const writing = store.write('broken', broken(), async (id) => {
    uploadId = id;
  });
  await expect(writing).rejects.toThrow('broken off');
  expect(uploadId).not.toBeNull();
  const countLeft = async () =>
    (await s3.listStored()).filter((path) => path.includes(uploadId ?? '')).length;
  expect(await countLeft()).toBeGreaterThan(0);
  await store.delete([{ id: 'broken', uploadId }]);
  expect(await countLeft()).toBe(0);
});

/** A server that takes parts, and whose completions of an upload answer 200 with an error as often as is said. */
async function startFailingServer(failures: number) {
  let completions = 0;
  const server = createHttpServer((request, response) => {
    request.resume();
    const isCompletion = request.method === 'POST' && request.url?.includes('uploadId=') === true;
    const root = isCompletion ? 'CompleteMultipartUploadResult' : 'InitiateMultipartUploadResult';
    const fails = isCompletion && ++completions <= failures;
    const body = fails
      ? '<Error><Code>InternalError</Code><Message>We encountered an internal error.</Message></Error>'
      : `<${root}><UploadId>1</UploadId><ETag>"e"</ETag></${root}>`;
    response.writeHead(200, { 'content-type': 'application/xml', etag: '"e"' }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    store: createS3Store({ ...settings(), endpoint: new URL(`http://127.0.0.1:${port}`) }, egress),
    completions: () => completions,
    [Symbol.dispose]: () => void server.close(),
  };
}

test('an upload whose completion fails in an answer 200 is completed again, and else has failed', async () => {
  using failing = await startFailingServer(1);
  await failing.store.write('id', parts(2, 6 * megabyte), async () => undefined);
  expect(failing.completions()).toBe(2);
  using always = await startFailingServer(Infinity);
  const writing = always.store.write('id', parts(2, 6 * megabyte), async () => undefined);
  await expect(writing).rejects.toThrow('did not complete the upload');
  expect(always.completions()).toBe(4);
});

test('an upload that the server does not end holds up neither the others nor another store', async () => {
  const store = createS3Store(settings(), egress);
  const uploads: { id: string; uploadId: string }[] = [];
  async function* broken(): AsyncGenerator<Buffer> {
    yield* parts(2, 6 * megabyte);
    throw new Error('broken off');
  }
  for (const id of ['ended', 'refused']) {
    const writing = store.write(id, broken(), async (uploadId) => void uploads.unshift({ id, uploadId }));
    await expect(writing).rejects.toThrow('broken off');
  }
  const listLeft = async () => {
    const stored = await s3.listStored();
    return uploads
      .filter(({ uploadId }) => stored.some((path) => path.includes(uploadId)))
      .map(({ id }) => id);
  };
  await s3.hold(['refused']);
  const left = await store.delete(uploads);
  expect([...left.keys()]).toEqual(['refused']);
  expect(String(left.get('refused'))).toContain('403');
  expect(await listLeft()).toEqual(['refused']);
  await s3.hold([]);
  expect((await store.delete(uploads)).size).toBe(0);
  expect(await listLeft()).toEqual([]);

  const asked = vi.fn(async () => new Map<string, unknown>());
  const away = async () => await Promise.reject<never>(new Error('it is away'));
  const all = [
    { ...store, delete: away },
    { ...store, name: 'postgres' as const, delete: asked },
  ];
  await expect(deleteDeadFiles(db, { newFiles: store, all, get: () => store })).rejects.toThrow('it is away');
  expect(asked).toHaveBeenCalledOnce();
});

test('a file in a store that does not answer is 503, to be asked for again', async () => {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const endpoint = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await once(server.close(), 'close');
  await using away = createEgressDoor({ allow: ['127.0.0.0/8'] });
  const store = createS3Store({ ...settings(), endpoint }, away);
  const chunks = store.read('any', { start: 0, end: 9 })[Symbol.asyncIterator]();
  const failure = await chunks.next().catch((error: unknown) => error);
  expect(toAppError(failure, undefined)).toMatchObject({ code: 'unavailable', status: 503 });
  // Not where the operator has not allowed it: asking again does not help.
  await using closed = createEgressDoor({ allow: [] });
  const refused = createS3Store({ ...settings(), endpoint }, closed).read('any', { start: 0, end: 9 });
  const refusal = await refused[Symbol.asyncIterator]()
    .next()
    .catch((error: unknown) => error);
  expect(toAppError(refusal, undefined)).toMatchObject({ code: 'internal_error' });
});

test("the test server's signature is AWS's own, by the example of its documentation", () => {
  const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
  const credential = 'AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request';
  const signed = 'host;range;x-amz-content-sha256;x-amz-date';
  const signature = 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41';
  const request = {
    method: 'GET',
    url: '/test.txt',
    headers: {
      host: 'examplebucket.s3.amazonaws.com',
      range: 'bytes=0-9',
      'x-amz-content-sha256': empty,
      'x-amz-date': '20130524T000000Z',
      authorization: `AWS4-HMAC-SHA256 Credential=${credential},SignedHeaders=${signed},Signature=${signature}`,
    },
  };
  expect(findSignature(request, 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY')?.expected).toBe(signature);
});
