import { sql } from 'kysely';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createDb, type Db } from '../../src/shared/db/client.ts';
import { createThumbnails } from '../../src/api/thumbnail.ts';
import { insertThumbnail } from '../../src/shared/db/files.ts';
import {
  deleteResult,
  deleteTombstones,
  expireResults,
  forgetKeys,
} from '../../src/shared/jobs/transitions/expire.ts';
import { deleteDeadFiles } from '../../src/shared/files/dead-files.ts';
import {
  deleteOldDeliveries,
  deleteOldReceivers,
  giveUpDeliveries,
  insertDelivery,
} from '../../src/shared/db/webhook-deliveries.ts';
import { deleteRetiredSecrets } from '../../src/shared/db/webhook-secrets.ts';
import { deleteOldUsage } from '../../src/shared/db/key-usage.ts';
import { deleteOldLinks, upsertLinks, upsertPages } from '../../src/shared/db/link-index.ts';
import { deleteOldTokenUses } from '../../src/shared/db/token-uses.ts';
import { createEgressDoor } from '../../src/shared/egress/door.ts';
import type { FileStore } from '../../src/shared/files/file-store.ts';
import { createFileStores } from '../../src/shared/files/stores.ts';
import { createId, idNotBefore } from '../../src/shared/ids.ts';
import { call, scrapePath, screenshotPath } from '../support/client.ts';
import { environmentOf } from '../support/processes.ts';
import { startSite, type Site } from '../support/site.ts';

let db: Db;
let site: Site;
beforeAll(async () => {
  const { DATABASE_URL: url = '' } = environmentOf(inject('stack'));
  db = createDb({ url, poolSize: 1, onError: () => undefined });
  site = await startSite();
});
afterAll(async () => {
  await db.destroy();
  await site.close();
});

const jobPath = (id: string) => `/api/proxy/jobs/${id}`;

/** The job and its parts, with the blobs that they name. */
async function treeOf(id: string) {
  return await db
    .selectFrom('jobs')
    .select(['id', 'status', 'result_blob_id'])
    .where((eb) => eb.or([eb('id', '=', id), eb('root_id', '=', id)]))
    .execute();
}

async function countBlobs(ids: readonly (string | null)[]): Promise<number> {
  const named = ids.filter((id) => id !== null);
  const rows = await db.selectFrom('blobs').select('id').where('id', 'in', named).execute();
  return rows.length;
}

test('a row that is deleted finds those that refer to it by an index', async () => {
  const { rows } = await sql<{ name: string }>`
    select conrelid::regclass || '.' || attname as name
    from pg_constraint join pg_attribute on attrelid = conrelid and attnum = conkey[1]
    where contype = 'f' and connamespace = current_schema::regnamespace and not exists (
      select from pg_index where indrelid = conrelid and indkey[0] = conkey[1]
        and (indpred is null or pg_get_expr(indpred, indrelid) = format('(%I IS NOT NULL)', attname))
    )
    order by 1`.execute(db);
  // Nothing here deletes a user.
  expect(rows.map(({ name }) => name)).toEqual(['jobs.user_id']);
});

describe('DELETE of a job', () => {
  test('deletes what its result was made of too', async () => {
    const urls = ['a', 'b', 'c'].map((name) => `${site.origin}/article?delete=${name}`);
    const { body } = await call('/api/proxy/web/v1/scrape/urls', { body: { urls, render: 'http' } });
    const { jobId } = body['meta'];
    const before = await treeOf(jobId);
    expect(before).toHaveLength(4);
    const blobs = before.map((row) => row.result_blob_id);
    expect(await countBlobs(blobs)).toBe(4);
    await call(jobPath(jobId), { method: 'DELETE' });
    expect((await treeOf(jobId)).map((row) => row.status)).toEqual(Array(4).fill('expired'));
    expect(await countBlobs(blobs)).toBe(0);
  });

  test('leaves no hash of what was asked, nor an idempotency key that is free again', async () => {
    const body = {
      url: `${site.origin}/article?hash=1`,
      render: 'http',
      headers: { Authorization: 'Basic YTpi' },
    };
    const asked = async (headers: Record<string, string>) =>
      (await call(scrapePath, { body, headers })).body['meta'].jobId as string;
    const young = await asked({ 'Idempotency-Key': 'retention young' });
    const old = await asked({ 'Idempotency-Key': 'retention old' });
    const keyless = await asked({});
    await db
      .updateTable('jobs')
      .set({ request_hash: Buffer.from('asked') })
      .where('id', '=', keyless)
      .execute();
    const rows = async () =>
      await db
        .selectFrom('jobs')
        .select(['id', 'input_hash', 'request_hash', 'idempotency_key'])
        .where('id', 'in', [young, old, keyless])
        .orderBy('id')
        .execute();
    for (const id of [young, old, keyless]) await deleteResult(db, id);
    const none = { input_hash: Buffer.alloc(0), request_hash: null, idempotency_key: null };
    const kept = { ...none, request_hash: expect.any(Buffer) };
    const ofYoung = { ...kept, id: young, idempotency_key: 'retention young' };
    expect(await rows()).toEqual([
      ofYoung,
      { ...kept, id: old, idempotency_key: 'retention old' },
      { ...none, id: keyless },
    ]);
    // Since before hashes were cleared with the result.
    const aDayLater = {
      created_at: sql<Date>`now() - interval '25 hours'`,
      input_hash: Buffer.from('asked'),
    };
    await db.updateTable('jobs').set(aDayLater).where('id', 'in', [old, keyless]).execute();
    while ((await forgetKeys(db)) > 0);
    expect(await rows()).toEqual([ofYoung, { ...none, id: old }, { ...none, id: keyless }]);
  });

  test('leaves a canceled one canceled, however often it is asked for', async () => {
    const { body } = await call(scrapePath, {
      body: { url: `${site.origin}/slow?wait=20000`, render: 'http' },
      headers: { Prefer: 'respond-async' },
    });
    const path = jobPath(body['data'].id);
    for (let n = 0; n < 3; n++)
      expect((await call(path, { method: 'DELETE' })).body['data'].status).toBe('canceled');
    expect((await call(path)).body['data'].status).toBe('canceled');
  });

  test('that has not ended leaves nothing of what was asked; an idempotency key still stands for it', async () => {
    const request = (secret: string, key?: string) =>
      call(scrapePath, {
        body: {
          url: `${site.origin}/slow?wait=20000&for=${secret}`,
          render: 'http',
          headers: { 'X-Told': secret },
        },
        headers: { Prefer: 'respond-async', ...(key === undefined ? {} : { 'Idempotency-Key': key }) },
      });
    const rowOf = (id: string) =>
      db
        .selectFrom('jobs')
        .select(['status', 'input', 'input_hash', 'request_hash'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
    const ids: string[] = [];
    for (const key of [undefined, 'retention canceled']) {
      const { id } = (await request('first', key)).body['data'];
      await call(jobPath(id), { method: 'DELETE' });
      ids.push(id);
    }
    const [keyless = '', keyed = ''] = ids;
    const none = { status: 'canceled', input: {}, input_hash: Buffer.alloc(0) };
    expect(await rowOf(keyless)).toEqual({ ...none, request_hash: null });
    expect(await rowOf(keyed)).toEqual({ ...none, request_hash: expect.any(Buffer) });
    expect((await request('first', 'retention canceled')).body['data']).toMatchObject({
      id: keyed,
      status: 'canceled',
    });
    expect((await request('second', 'retention canceled')).body).toMatchObject({
      code: 'idempotency_mismatch',
    });
    expect((await call(jobPath(keyed))).body['data']).toMatchObject({ id: keyed, status: 'canceled' });
  });
});

describe('a thumbnail whose job is deleted meanwhile', () => {
  let others: Db;
  beforeAll(() => {
    const { DATABASE_URL: url = '' } = environmentOf(inject('stack'));
    others = createDb({ url, poolSize: 2, onError: () => undefined });
  });
  afterAll(() => others.destroy());

  const file = {
    id: '',
    name: 'picture',
    contentType: 'image/png',
    sizeBytes: 100,
    sha256: '00',
    store: 'postgres' as const,
  };

  /** Of a job that has succeeded, and whose results nobody else deletes. */
  async function insertPicture(): Promise<typeof file & { jobId: string; userId: string }> {
    const [id, jobId] = [createId(), createId()];
    const { id: user_id } = await db.selectFrom('users').select('id').executeTakeFirstOrThrow();
    await sql`
      insert into jobs (id, user_id, operation, queue, input, input_hash, timeout_ms, status, finished_at, expires_at)
      values (${jobId}, ${user_id}, 'web.screenshot', 'browser', '{}', ${Buffer.alloc(32)}, 60000, 'succeeded', now(),
        now() + interval '1 hour')`.execute(db);
    await sql`
      insert into files (id, job_id, name, content_type, size_bytes, store, state)
      values (${id}, ${jobId}, 'picture', 'image/png', 100, 'postgres', 'complete')`.execute(db);
    return { ...file, id, jobId, userId: user_id };
  }
  const statesOf = async (jobId: string) =>
    (await db.selectFrom('files').select('state').where('job_id', '=', jobId).execute()).map(
      ({ state }) => state,
    );

  test('is not there, as its picture is not', async () => {
    const picture = await insertPicture();
    const content = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    const store: Partial<FileStore> = {
      async *read() {
        await deleteResult(db, picture.jobId);
        yield content;
      },
    };
    const files = { newFiles: store as FileStore, all: [], get: () => store as FileStore };
    expect(await createThumbnails({ db, files })(picture)).toBeUndefined();
    expect(await statesOf(picture.jobId)).toEqual(['replaced']);
  });

  test('is deleted with it, though it is written while the deletion waits', async () => {
    const picture = await insertPicture();
    const countWaiting = async () => {
      const { rows } = await sql`
        select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%tree%'`.execute(
        others,
      );
      return rows.length;
    };
    const made = { id: createId(), contentType: 'image/webp', sha256: '00' };
    const deletion = await db.transaction().execute(async (trx) => {
      await insertThumbnail(trx, picture, made, Buffer.from('made'));
      const waiting = deleteResult(others, picture.jobId);
      await expect.poll(countWaiting).toBe(1);
      return { waiting };
    });
    await deletion.waiting;
    expect(await statesOf(picture.jobId)).toEqual(['replaced', 'replaced']);
  });
});

describe('a result past its time', () => {
  test('is gone: 410 where its content is asked, `expired` as a job, and after 90 days 404', async () => {
    const { body, headers } = await call(screenshotPath, {
      body: { url: `${site.origin}/article?retention` },
      headers: { 'Idempotency-Key': `retention ${createId()}` },
    });
    const id = headers.get('x-job-id') ?? '';
    const [row] = await treeOf(id);
    await db
      .updateTable('jobs')
      .set({ expires_at: sql<Date>`now() - interval '1 second'` })
      .where('id', '=', id)
      .execute();
    const isGone = async () => {
      expect((await call(jobPath(id))).body['data'].status).toBe('expired');
      const record = await call(`/api/proxy/web/v1/screenshot/${id}`);
      expect(record.body).toMatchObject({ status: 410, code: 'result_expired' });
    };
    // Before the sweep has come by, and after.
    await isGone();
    while ((await expireResults(db)) > 0);
    await isGone();
    await expect.poll(() => countBlobs([row!.result_blob_id])).toBe(0);
    expect((await call(body['data'].imageUrl, { key: null })).status).toBe(410);
    while (
      (await deleteDeadFiles(
        db,
        createFileStores({ db, s3: null, egress: createEgressDoor({ allow: [] }) }),
      )) > 0
    );
    expect(await db.selectFrom('files').select('id').where('job_id', '=', id).execute()).toEqual([]);

    const setAge = (days: string) =>
      db
        .updateTable('jobs')
        .set({ expires_at: sql<Date>`now() - ${days}::interval` })
        .where('id', '=', id)
        .execute();
    await setAge('89 days 23 hours');
    await deleteTombstones(db);
    await isGone();
    await setAge('90 days 1 minute');
    while ((await deleteTombstones(db)) > 0);
    expect((await call(jobPath(id))).body).toMatchObject({ status: 404, code: 'not_found' });
  });
});

describe('webhooks', () => {
  const insert = async (fields: { status?: 'delivered' | 'failed'; created?: string; since?: string }) => {
    const { status = 'pending', created = '0', since = '0' } = fields;
    const { id: user_id } = await db.selectFrom('users').select('id').executeTakeFirstOrThrow();
    // Nobody is there, and nobody tries: it is due in an hour.
    const receiver = 'http://203.0.113.1';
    const target = { url: `${receiver}/`, receiver, origin: 'http://localhost' };
    const { id } = await db.transaction().execute(async (trx) => {
      const row = await insertDelivery(trx, {
        ...target,
        id: createId(),
        user_id,
        job_id: null,
        type: 'job.failed',
      });
      await sql`update webhook_deliveries set status = ${status}, next_attempt_at = now() + interval '1 hour',
        created_at = now() - ${created}::interval, tried_since = now() - ${since}::interval where id = ${row.id}`.execute(
        trx,
      );
      return row;
    });
    return id;
  };
  const statusOf = async (id: string) =>
    (await db.selectFrom('webhook_deliveries').select('status').where('id', '=', id).executeTakeFirst())
      ?.status;

  test('are deleted a week after they were made and last sent anew, unless they wait', async () => {
    const [created, since] = ['7 days 1 minute', '7 days 1 minute'];
    const old = await insert({ status: 'delivered', created, since });
    const kept = [
      await insert({ status: 'failed', created: '6 days 23 hours' }),
      await insert({ created: '8 days', since: '8 days' }),
      await insert({ status: 'delivered', created, since: '6 days 23 hours' }),
    ];
    while ((await deleteOldDeliveries(db)) > 0);
    expect(await statusOf(old)).toBeUndefined();
    expect(await Promise.all(kept.map(statusOf))).toEqual(['failed', 'pending', 'delivered']);
  });

  test('leave no secret that signs no more, and no receiver that nothing was sent to for a week', async () => {
    const { id: user_id } = await db.selectFrom('users').select('id').executeTakeFirstOrThrow();
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
    const secrets = [daysAgo(1), daysAgo(-1)].map((retires_at) => ({ id: createId(), user_id, retires_at }));
    await db.insertInto('webhook_secrets').values(secrets).execute();
    const receivers = ['forgotten', 'lately', 'pending'].map((name) => `http://${name}.example`);
    const failed = receivers.map((receiver, n) => ({
      user_id,
      receiver,
      failures: 9,
      open_until: null,
      failed_at: daysAgo(n === 1 ? 6 : 8),
    }));
    await db.insertInto('webhook_receivers').values(failed).execute();
    const waiting = await insert({});
    await db
      .updateTable('webhook_deliveries')
      .set({ receiver: 'http://pending.example' })
      .where('id', '=', waiting)
      .execute();
    while ((await deleteRetiredSecrets(db)) + (await deleteOldReceivers(db)) > 0);
    const ids = secrets.map(({ id }) => id);
    const signing = db.selectFrom('webhook_secrets').select('id').where('id', 'in', ids);
    expect(await signing.execute()).toEqual([{ id: ids[1] }]);
    const known = db.selectFrom('webhook_receivers').select('receiver').where('receiver', 'in', receivers);
    expect((await known.execute()).map(({ receiver }) => receiver).sort()).toEqual(receivers.slice(1));
    await db.deleteFrom('webhook_deliveries').where('id', '=', waiting).execute();
    await db.deleteFrom('webhook_secrets').where('id', 'in', ids).execute();
  });

  test('are given up after a day, however seldom their receiver was tried; redelivery begins a new one', async () => {
    const [overdue, waiting, again] = [
      await insert({ since: '25 hours' }),
      await insert({ since: '23 hours' }),
      await insert({ created: '3 days', since: '1 minute' }),
    ];
    while ((await giveUpDeliveries(db, 24 * 3_600_000)) > 0);
    expect(await Promise.all([overdue, waiting, again].map(statusOf))).toEqual([
      'failed',
      'pending',
      'pending',
    ]);
  });
});

test('what is large is deleted a little at a time: a statement that takes long is cut off, each time anew', async () => {
  const { id: user_id } = await db.selectFrom('users').select('id').executeTakeFirstOrThrow();
  const large = async () => {
    const id = createId();
    await sql`
      insert into blobs (id, content_type, size_bytes, sha256, bytes, created_at)
      values (${id}, 'application/json', 40000000, '\\x00', '{}', now() - interval '2 hours')`.execute(db);
    return id;
  };
  const blobs: string[] = [];
  for (let n = 0; n < 8; n++) blobs.push(await large());
  const past = sql<Date>`now() - interval '1 minute'`;
  const ended = {
    status: 'failed',
    operation: 'web.scrape',
    queue: 'http',
    input: '{}',
    timeout_ms: 1,
  } as const;
  await db
    .insertInto('jobs')
    .values(
      blobs.map((result_blob_id) => ({
        ...ended,
        id: result_blob_id,
        user_id,
        result_blob_id,
        input_hash: Buffer.alloc(32),
        expires_at: past,
      })),
    )
    .execute();
  while ((await expireResults(db)) > 0);
  // Workers of the stack may sweep too.
  await expect.poll(() => countBlobs(blobs)).toBe(0);
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from jobs where id = any(${blobs}::uuid[]) group by xmin::text`.execute(db);
  expect(Math.max(...rows.map(({ count }) => count))).toBeLessThanOrEqual(3);
});

test('links that no crawl has seen for more than a year are deleted, and younger ones stay', async () => {
  const page = (name: string) => ({ url: `http://${name}.test/`, domain: `${name}.test` });
  for (const [name, days] of [
    ['forgotten', 500],
    ['seen', 300],
  ] as const) {
    const { url, domain } = page(name);
    const seen = { title: null, status: 200, internalLinks: 0, externalLinks: 1 };
    await upsertPages([{ url, domain, ...seen }]).execute(db);
    const link = { from: url, to: 'http://kept.test/', fromDomain: domain, toDomain: 'kept.test' };
    await upsertLinks([{ ...link, anchor: name, rel: '', image: false }]).execute(db);
    for (const [table, column] of [
      ['link_index_pages', 'domain'],
      ['link_index_links', 'from_domain'],
    ] as const) {
      await sql`update ${sql.table(table)} set last_seen_at = now() - ${days} * interval '1 day'
        where ${sql.ref(column)} = ${domain}`.execute(db);
    }
  }
  while ((await deleteOldLinks(db)) > 0);
  const links = await db
    .selectFrom('link_index_links')
    .select('anchor')
    .where('to_domain', '=', 'kept.test')
    .execute();
  expect(links).toEqual([{ anchor: 'seen' }]);
  const pages = await db
    .selectFrom('link_index_pages')
    .select('domain')
    .where('domain', 'in', ['forgotten.test', 'seen.test'])
    .execute();
  expect(pages).toEqual([{ domain: 'seen.test' }]);
});

test('the record of uses and of tokens is deleted long after anything tells of it', async () => {
  const { id: userId } = await db.selectFrom('users').select('id').limit(1).executeTakeFirstOrThrow();
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
  const keyId = createId();
  const usage = { key_id: keyId, user_id: userId, allowance_id: keyId, operation: 'test', count: 1 };
  await db
    .insertInto('key_usage')
    .values([100, 40].map((days) => ({ ...usage, minute: daysAgo(days) })))
    .execute();
  const ids = [100, 40].map((days) => idNotBefore(daysAgo(days).getTime()));
  const tokens = { user_id: userId, model: 'test', reserved_tokens: 0 };
  await db
    .insertInto('token_uses')
    .values(ids.map((id) => ({ ...tokens, id })))
    .execute();
  while ((await deleteOldUsage(db)) + (await deleteOldTokenUses(db)) > 0);
  const uses = await db.selectFrom('key_usage').select('minute').where('key_id', '=', keyId).execute();
  expect(uses).toHaveLength(1);
  const kept = await db.selectFrom('token_uses').select('id').where('id', 'in', ids).execute();
  expect(kept).toEqual([{ id: ids[1] }]);
  await db.deleteFrom('token_uses').where('id', 'in', ids).execute();
  await db.deleteFrom('key_usage').where('key_id', '=', keyId).execute();
});
