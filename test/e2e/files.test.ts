import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDb, type Db } from '../../src/shared/db/client.ts';
import { deleteDeadFiles } from '../../src/shared/files/dead-files.ts';
import { createEgressDoor } from '../../src/shared/egress/door.ts';
import { createFileStores } from '../../src/shared/files/stores.ts';
import { call } from '../support/client.ts';
import { environmentOf } from '../support/processes.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
let db: Db;
beforeAll(async () => {
  service = await startService({ env: { EXTENSIONS: join(import.meta.dirname, '../support/operations') } });
  const { DATABASE_URL: url = '' } = environmentOf(service);
  db = createDb({ url, poolSize: 2, onError: () => undefined });
});
afterAll(async () => {
  await db.destroy();
  await service.stop();
});

const megabyte = 1024 * 1024;
const ask = (path: string, options: Parameters<typeof call>[1] = {}) =>
  call<Record<string, any>>(path, { key: service.key, ...options }, service.url);
const write = (body: object) => ask('/api/proxy/test/v1/files', { body });
const jobOf = async (id: string) => (await ask(`/api/proxy/jobs/${id}`)).body['data'];

async function read(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { headers });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { response, bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
}

const filesOf = (id: string) =>
  db
    .selectFrom('files')
    .leftJoin('file_chunks', 'file_chunks.file_id', 'files.id')
    .select(['files.id', 'files.state', 'file_chunks.first_byte'])
    .where('job_id', '=', id)
    .execute();
async function sweep(): Promise<void> {
  while (
    (await deleteDeadFiles(db, createFileStores({ db, s3: null, egress: createEgressDoor({ allow: [] }) }))) >
    0
  );
}

describe('a job', () => {
  test('has any number of named files, each with a signed link', async () => {
    const sizesBytes = [0, 1, megabyte - 1, megabyte, megabyte + 1, 3 * megabyte + 5];
    const { status, body } = await write({ sizesBytes });
    expect(status).toBe(200);
    const written = body['data'].files;
    expect(written.every((file: { isWhole: boolean }) => file.isWhole)).toBe(true);
    const job = await jobOf(body['meta'].jobId);
    expect(job.files).toHaveLength(sizesBytes.length);
    for (const [index, file] of job.files.entries()) {
      expect(file).toMatchObject({
        name: `file-${index}.bin`,
        contentType: 'application/octet-stream',
        bytes: sizesBytes[index],
        sha256: written[index].sha256,
      });
      const { response, bytes, sha256 } = await read(file.url);
      expect(response.headers.get('content-length')).toBe(String(file.bytes));
      expect(bytes).toHaveLength(file.bytes);
      expect(sha256).toBe(file.sha256);
    }
  });

  test('reads files of its earlier runs, and replaces them', async () => {
    const { body } = await write({ sizesBytes: [2 * megabyte, 10], resumes: true, again: true });
    const { files } = body['data'];
    expect(files.every((file: { isWhole: boolean }) => file.isWhole)).toBe(true);
    const { jobId } = body['meta'];
    const job = await jobOf(jobId);
    expect(new Set(job.files.map((file: { sha256: string }) => file.sha256))).toEqual(
      new Set(files.map((file: { sha256: string }) => file.sha256)),
    );
    const link = job.files.find((file: { name: string }) => file.name === 'file-0.bin').url;
    expect((await read(link)).sha256).toBe(files[0].sha256);
    await sweep();
    const left = await filesOf(jobId);
    expect(left.every((row) => row.state === 'complete')).toBe(true);
    expect(left).toHaveLength(3);
  });

  test('that does not succeed has none, and what it had written is deleted', async () => {
    const { body, headers } = await write({ sizesBytes: [3 * megabyte], fail: true });
    expect(body['code']).toBe('selector_not_found');
    const id = headers.get('x-job-id') ?? '';
    expect(await jobOf(id)).toMatchObject({ status: 'failed', files: [] });
    await sweep();
    expect(await filesOf(id)).toEqual([]);
  });

  test('that is deleted takes its files along', async () => {
    const { body } = await write({ sizesBytes: [2 * megabyte] });
    const { jobId } = body['meta'];
    const { url } = (await jobOf(jobId)).files[0];
    await ask(`/api/proxy/jobs/${jobId}`, { method: 'DELETE' });
    expect((await fetch(url)).status).toBe(410);
    expect((await jobOf(jobId)).files).toEqual([]);
    await sweep();
    expect(await filesOf(jobId)).toEqual([]);
  });
});

describe('a file', () => {
  let url: string;
  let whole: Awaited<ReturnType<typeof read>>;
  beforeAll(async () => {
    const { body } = await write({ sizesBytes: [3 * megabyte + 100] });
    url = (await jobOf(body['meta'].jobId)).files[0].url;
    whole = await read(url);
  });

  test.each([
    ['within a chunk', 10, 19],
    ['over the edge of one', megabyte - 5, megabyte + 4],
    ['over three', 5, 2 * megabyte + 5],
    ['the last byte', 3 * megabyte + 99, 3 * megabyte + 99],
  ])('is read in ranges: %s', async (_name, start, end) => {
    const { response, bytes } = await read(url, { Range: `bytes=${start}-${end}` });
    expect(response.status).toBe(206);
    expect(response.headers.get('content-range')).toBe(`bytes ${start}-${end}/${whole.bytes.length}`);
    expect(response.headers.get('content-length')).toBe(String(end - start + 1));
    expect(bytes.equals(whole.bytes.subarray(start, end + 1))).toBe(true);
  });

  test('answers If-Range, If-None-Match, HEAD and ranges past its end', async () => {
    const etag = whole.response.headers.get('etag') ?? '';
    expect(etag).toBe(`"${whole.sha256}"`);
    expect((await read(url, { 'If-None-Match': etag })).response.status).toBe(304);
    expect((await read(url, { Range: 'bytes=0-0', 'If-Range': etag })).response.status).toBe(206);
    expect((await read(url, { Range: 'bytes=0-0', 'If-Range': '"other"' })).response.status).toBe(200);
    const past = await read(url, { Range: `bytes=${whole.bytes.length}-` });
    expect(past.response.status).toBe(416);
    expect(past.response.headers.get('content-range')).toBe(`bytes */${whole.bytes.length}`);
    expect(past.response.headers.get('cache-control')).toBe(null);
    const head = await fetch(url, { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(head.headers.get('content-length')).toBe(String(whole.bytes.length));
    const suffix = await read(url, { Range: 'bytes=-100' });
    expect(suffix.bytes.equals(whole.bytes.subarray(-100))).toBe(true);
  });

  test.each([
    ['bytes=-9999999', 206],
    ['bytes=-0', 416],
    ['bytes=5-2', 200],
    ['bytes=x', 200],
    ['items=9999999-', 200],
    ['bytes=0-1,5-6', 200],
  ])('answers Range: %s with %i', async (range, status) => {
    const { response, bytes } = await read(url, { Range: range });
    expect(response.status).toBe(status);
    expect(bytes).toHaveLength(status === 416 ? 0 : whole.bytes.length);
    const last = whole.bytes.length - 1;
    if (status === 206) expect(response.headers.get('content-range')).toBe(`bytes 0-${last}/${last + 1}`);
  });
});

test('more files than are looked up at a time of one network all come', async () => {
  const { body } = await write({ sizesBytes: Array(20).fill(2_000) });
  const { files } = await jobOf(body['meta'].jobId);
  const urls = (files as { url: string }[]).map(({ url }) => url);
  expect(urls).toHaveLength(20);
  const got = await Promise.all([...urls, ...urls].map((url) => read(url)));
  expect(got.map(({ response, bytes }) => `${response.status} ${bytes.length}`)).toEqual(
    Array(40).fill('200 2000'),
  );
});

test('what a queued GET answers is kept by no cache', async () => {
  const { status, headers } = await ask('/api/proxy/test/v1/joinable');
  expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
});

describe('Accept', () => {
  const accept = async (type: string, input: object = { sizesBytes: [5] }) => {
    const response = await fetch(new URL('/api/proxy/test/v1/files', service.url), {
      method: 'POST',
      headers: { 'X-API-Key': service.key, 'Content-Type': 'application/json', Accept: type },
      body: JSON.stringify(input),
    });
    return { response, text: await response.text() };
  };

  test('chooses a text that is made of the data', async () => {
    const { response, text } = await accept('text/markdown');
    expect(text).toBe('# 1 files\n');
    expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('vary')).toBe('Accept');
    expect(response.headers.get('x-job-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('chooses a file of the job', async () => {
    const { response } = await accept('application/octet-stream');
    expect(response.headers.get('content-type')).toBe('application/octet-stream');
    expect(response.headers.get('content-length')).toBe('5');
    expect(response.headers.get('etag')).toMatch(/^"[0-9a-f]{64}"$/);
  });

  test('goes by quality values, and JSON is first among equals', async () => {
    const typeOf = async (type: string) => (await accept(type)).response.headers.get('content-type');
    expect(await typeOf('*/*')).toContain('application/json');
    expect(await typeOf('text/*;q=0.5, application/json;q=0.4')).toContain('text/markdown');
    expect(await typeOf('text/markdown;q=0.1, application/json')).toContain('application/json');
    expect(await typeOf('application/json;q=0, */*')).toContain('text/markdown');
    expect(await typeOf('application/problem+json')).toContain('application/json');
  });

  test('that the result has nothing of deletes it not, as `store: false` does once it was sent', async () => {
    const nothing = { sizesBytes: [], store: false };
    const { response } = await accept('application/octet-stream', nothing);
    expect(response.status).toBe(406);
    const { body } = await write(nothing);
    const statusOf = async (id: string) => (await jobOf(id)).status;
    await expect.poll(() => statusOf(body['meta'].jobId)).toBe('expired');
    expect(await statusOf(response.headers.get('x-job-id') ?? '')).toBe('succeeded');
  });

  test('that nothing answers is told what does', async () => {
    const { response, text } = await accept('image/png');
    expect(response.status).toBe(406);
    expect(JSON.parse(text).detail).toContain(
      'application/json or text/markdown or application/octet-stream',
    );
  });
});
