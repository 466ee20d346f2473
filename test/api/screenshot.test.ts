import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createDb } from '../../src/shared/db/client.ts';
import { call, screenshotPath } from '../support/client.ts';
import { environmentOf } from '../support/processes.ts';
import { createTestKey } from '../support/service.ts';
import { startSite, type Site } from '../support/site.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.close());

const shoot = (path: string, options: Record<string, unknown> = {}) =>
  call(screenshotPath, { body: { url: site.origin + path, ...options } });

const bytesOf = async (link: string, headers: Record<string, string> = {}) => {
  const response = await fetch(link, { headers });
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
};

describe('a screenshot', () => {
  test('is a record whose signed links show the picture and its thumbnail', async () => {
    const { status, body } = await shoot('/article');
    expect(status).toBe(200);
    const record = body['data'];
    expect(record).toMatchObject({
      id: body['meta'].jobId,
      status: 'succeeded',
      url: `${site.origin}/article`,
      statusCode: 200,
      format: 'png',
      width: 1280,
      height: 720,
      truncated: false,
    });
    const { response, bytes } = await bytesOf(record.imageUrl);
    expect(response.headers.get('content-type')).toBe('image/png');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('content-security-policy')).toContain('sandbox');
    expect(bytes).toHaveLength(record.bytes);
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'png', width: 1280, height: 720 });
    const { isOpaque, channels } = await sharp(bytes).stats();
    expect(isOpaque).toBe(true);
    expect(Math.max(...channels.map((channel) => channel.stdev))).toBeGreaterThan(5);

    const thumbnail = await bytesOf(record.thumbnailUrl);
    expect(await sharp(thumbnail.bytes).metadata()).toMatchObject({
      format: 'webp',
      width: 320,
      height: 180,
    });
  });

  test.each([
    ['jpeg', { format: 'jpeg', quality: 50 }],
    ['webp', { format: 'webp', width: 400, height: 300 }],
    ['png', { deviceScaleFactor: 2, width: 300, height: 200 }],
  ])('comes as %s in the size asked for', async (format, options) => {
    const { body } = await shoot('/article', options);
    const { bytes } = await bytesOf(body['data'].imageUrl);
    const { width = 1280, height = 720, deviceScaleFactor = 1 } = options as Record<string, number>;
    expect(await sharp(bytes).metadata()).toMatchObject({
      format,
      width: width * deviceScaleFactor,
      height: height * deviceScaleFactor,
    });
  });

  test('a full page holds its lazy images', async () => {
    const { body } = await shoot('/lazy-images', { fullPage: true });
    expect(body['data'].height).toBeGreaterThan(2_000);
    expect(site.requests.filter(({ path }) => /image|lazy/.test(path)).length).toBeGreaterThan(3);
  });

  test('a page taller than maxHeight is cut there, and it is said', async () => {
    const { body } = await shoot('/tall', { fullPage: true, maxHeight: 2_000, width: 300 });
    expect(body['data']).toMatchObject({ width: 300, height: 2_000, truncated: true });
    expect(body['meta'].warnings).not.toEqual([]);
  });

  test('a page that loads itself again without end is shown as it stands, and it is said', async () => {
    const { status, body } = await shoot('/reload-loop', { fullPage: true });
    expect(status).toBe(200);
    expect(body['data']).toMatchObject({ title: 'Reloading', height: 720 });
    expect(body['meta'].warnings.map(({ code }: { code: string }) => code)).toContain('navigations_stopped');
  });

  test('dark mode reaches the page', async () => {
    const brightness = async (darkMode: boolean) => {
      const { body } = await shoot('/dark-mode', { darkMode, width: 200, height: 200 });
      const { channels } = await sharp((await bytesOf(body['data'].imageUrl)).bytes).stats();
      return channels[0]?.mean ?? NaN;
    };
    expect(await brightness(true)).toBeLessThan(100);
    expect(await brightness(false)).toBeGreaterThan(150);
  });

  test('a selector takes that element only; one that is not there is selector_not_found', async () => {
    const { body } = await shoot('/elements', { selector: '#card' });
    expect(body['data']).toMatchObject({ width: 300, height: 150 });
    const missing = await shoot('/elements', { selector: '#nothing-of-the-kind' });
    expect(missing.body).toMatchObject({ status: 422, code: 'selector_not_found' });
  });

  test('headers, cookies and keys are not among the options of the record', async () => {
    const { body } = await shoot('/echo', {
      headers: { 'X-Secret': 's3cret' },
      cookies: { session: 's3cret' },
    });
    expect(JSON.stringify(body['data'])).not.toContain('s3cret');
  });
});

describe('Accept: image/*', () => {
  test('answers the bytes of a new screenshot, with its id', async () => {
    const { url, key } = inject('stack');
    const response = await fetch(new URL(screenshotPath, url), {
      method: 'POST',
      headers: { 'X-API-Key': key, 'Content-Type': 'application/json', Accept: 'image/*' },
      body: JSON.stringify({ url: `${site.origin}/article`, format: 'webp' }),
    });
    expect(response.headers.get('content-type')).toBe('image/webp');
    expect(response.headers.get('x-screenshot-id')).toBe(response.headers.get('x-job-id'));
    expect((await sharp(Buffer.from(await response.arrayBuffer())).metadata()).format).toBe('webp');
  });

  test('and application/pdf answer a pdf, new or by its id', async () => {
    const { url, key } = inject('stack');
    const link = new URL(screenshotPath, url);
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json', Accept: 'application/pdf' };
    const body = JSON.stringify({ url: `${site.origin}/article`, format: 'pdf' });
    const response = await fetch(link, { method: 'POST', headers, body });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/pdf');
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.toString('latin1', 0, 5)).toBe('%PDF-');
    const again = await bytesOf(`${link}/${response.headers.get('x-screenshot-id')}`, {
      'X-API-Key': key,
      Accept: 'application/pdf',
      Range: 'bytes=0-4',
    });
    expect(again.response.status).toBe(206);
    expect(again.bytes.toString()).toBe('%PDF-');
    const askAs = async (accept: string) =>
      await call(`${screenshotPath}/${response.headers.get('x-screenshot-id')}`, {
        headers: { Accept: accept },
      });
    expect((await askAs('image/png')).body).toMatchObject({ status: 406, code: 'not_acceptable' });
    expect((await askAs('image/*, application/json;q=0.1')).body['data']).toMatchObject({ format: 'pdf' });
  });

  test.each([
    ['application/pdf', 'png'],
    ['image/*', 'pdf'],
  ])('that has no %s in the format %s is refused before it is taken', async (accept, format) => {
    const asked = { body: { url: `${site.origin}/article`, format }, headers: { Accept: accept } };
    const { body, headers } = await call(screenshotPath, asked);
    expect(body).toMatchObject({ status: 406, code: 'not_acceptable' });
    expect(headers.has('x-job-id')).toBe(false);
  });

  test('an error is a problem all the same', async () => {
    const { body } = await call(screenshotPath, {
      body: { url: 'http://10.0.0.1/' },
      headers: { Accept: 'image/png' },
    });
    expect(body).toMatchObject({ code: 'url_not_allowed' });
  });
});

describe('GET /screenshot/{id}', () => {
  let record: Record<string, any>;
  beforeAll(async () => {
    record = (await shoot('/article')).body['data'];
  });
  const path = () => `${screenshotPath}/${record['id']}`;

  test('answers the record again, uncounted', async () => {
    const { status, body, headers } = await call(path());
    expect(status).toBe(200);
    expect(body['data']).toMatchObject({
      ...record,
      imageUrl: expect.any(String),
      thumbnailUrl: expect.any(String),
    });
    expect(headers.has('ratelimit')).toBe(false);
  });

  test('with Accept: image/* answers the bytes, with ETag and ranges', async () => {
    const { url, key } = inject('stack');
    const link = new URL(path(), url).href;
    const headers = { 'X-API-Key': key, Accept: 'image/*' };
    const whole = await bytesOf(link, headers);
    expect(whole.bytes).toHaveLength(record['bytes']);
    const etag = whole.response.headers.get('etag') ?? '';
    expect(etag).toBe(`"${record['sha256']}"`);
    expect((await bytesOf(link, { ...headers, 'If-None-Match': etag })).response.status).toBe(304);
    const part = await bytesOf(link, { ...headers, Range: 'bytes=10-19' });
    expect(part.response.status).toBe(206);
    expect(part.response.headers.get('content-range')).toBe(`bytes 10-19/${record['bytes']}`);
    expect(part.bytes.equals(whole.bytes.subarray(10, 20))).toBe(true);
    expect((await bytesOf(link, { ...headers, Range: 'bytes=99999999-' })).response.status).toBe(416);
    const asPdf = await call(path(), { headers: { Accept: 'application/pdf' } });
    expect(asPdf.body).toMatchObject({ status: 406, code: 'not_acceptable' });
  });

  test('can be asked from the 202 on', async () => {
    const pending = await call(screenshotPath, {
      body: { url: `${site.origin}/slow?wait=5000` },
      headers: { Prefer: 'respond-async' },
    });
    expect(pending.status).toBe(202);
    const { status, body } = await call(`${screenshotPath}/${pending.body['data'].id}`);
    expect(status).toBe(200);
    expect(['queued', 'running']).toContain(body['data'].status);
    expect(body['data']).toMatchObject({ imageUrl: null, width: null, options: { format: 'png' } });
  });

  test("is 404 for another user's key, and for a job that is no screenshot", async () => {
    const { key } = await createTestKey(inject('stack').home, 'free');
    expect((await call(path(), { key })).body).toMatchObject({ status: 404, code: 'not_found' });
    const scraped = await call('/api/proxy/web/v1/scrape', { body: { url: `${site.origin}/article` } });
    expect((await call(`${screenshotPath}/${scraped.body['meta'].jobId}`)).status).toBe(404);
  });

  test('of a failed screenshot is its error', async () => {
    const failed = await shoot('/elements', { selector: '#nothing-of-the-kind' });
    const id = failed.headers.get('x-job-id');
    expect((await call(`${screenshotPath}/${id}`)).body).toMatchObject({ code: 'selector_not_found' });
  });
});

describe('a signed link', () => {
  test('that was changed, or is of another variant, is refused', async () => {
    const { imageUrl } = (await shoot('/article')).body['data'];
    for (const changed of [
      imageUrl.replace(/expires=\d+/, 'expires=9999999999'),
      imageUrl.replace(/signature=.*/, 'signature=AAAA'),
      `${imageUrl}&variant=thumbnail`,
      imageUrl.replace(/\?.*/, ''),
    ]) {
      expect((await bytesOf(changed)).response.status, changed).toBe(403);
    }
  });

  test('to a thumbnail has it made once, however many ask', async () => {
    const { id, thumbnailUrl } = (await shoot('/article')).body['data'];
    const asked = await Promise.all(Array.from({ length: 30 }, () => bytesOf(thumbnailUrl)));
    expect(new Set(asked.map(({ response }) => response.status))).toEqual(new Set([200]));
    const { DATABASE_URL: url = '' } = environmentOf(inject('stack'));
    await using db = createDb({ url, poolSize: 1, onError: () => undefined });
    const made = db.selectFrom('files').select('id').where('job_id', '=', id);
    expect(await made.where('name', 'like', 'thumbnail%').execute()).toHaveLength(1);
  });

  test('to a thumbnail that cannot be made is a failure that no client keeps', async () => {
    const { id, thumbnailUrl } = (await shoot('/article')).body['data'];
    const { DATABASE_URL: url = '' } = environmentOf(inject('stack'));
    await using db = createDb({ url, poolSize: 1, onError: () => undefined });
    const picture = db.selectFrom('files').select('id').where('job_id', '=', id);
    await db
      .updateTable('file_chunks')
      .set({ bytes: Buffer.from('none') })
      .where('file_id', '=', picture)
      .execute();
    const { response } = await bytesOf(thumbnailUrl);
    expect(response.status).toBe(500);
    expect(response.headers.get('cache-control')).toBeNull();
  });

  test('of a deleted result is 410', async () => {
    const { id, imageUrl } = (await shoot('/article')).body['data'];
    await call(`/api/proxy/jobs/${id}`, { method: 'DELETE' });
    expect((await bytesOf(imageUrl)).response.status).toBe(410);
    expect((await call(`${screenshotPath}/${id}`)).body).toMatchObject({
      status: 410,
      code: 'result_expired',
    });
  });
});
