import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createBlob } from '../../src/shared/blobs/blob.ts';
import { createDb, type Db } from '../../src/shared/db/client.ts';
import { endJobs, type JobEnding } from '../../src/shared/jobs/transitions/end.ts';
import { claimJobs } from '../../src/shared/jobs/transitions/lease.ts';
import type { NewJobRow } from '../../src/shared/db/tables.ts';
import { createId } from '../../src/shared/ids.ts';
import { call } from '../support/client.ts';
import { environmentOf } from '../support/processes.ts';

let db: Db;
beforeAll(() => {
  const { DATABASE_URL: url = '' } = environmentOf(inject('stack'));
  db = createDb({ url, poolSize: 1, onError: () => undefined });
});
afterAll(() => db.destroy());

/** A queued row that no worker knows of. */
async function insertRow(more: Partial<NewJobRow> = {}): Promise<string> {
  const id = createId();
  const { user_id: userId } = await db
    .selectFrom('api_keys')
    .select('user_id')
    .orderBy('id')
    .executeTakeFirstOrThrow();
  await db
    .insertInto('jobs')
    .values({
      id,
      user_id: userId,
      operation: 'web.scrape',
      queue: 'http',
      input: '{"url":"http://127.0.0.1/"}',
      input_hash: Buffer.alloc(32),
      timeout_ms: 1_000,
      dispatched_at: '2200-01-01',
      run_at: '2000-01-01',
      key_id: null,
      parent_id: null,
      ordinal: null,
      root_id: null,
      lease_token: null,
      lease_expires_at: null,
      deadline_at: null,
      result_blob_id: null,
      idempotency_key: null,
      request_hash: null,
      request_id: null,
      started_at: null,
      finished_at: null,
      expires_at: null,
      ...more,
    })
    .execute();
  return id;
}

const endingOf = (id: string, token: string, text: string): JobEnding => ({
  job: { id, token, parentId: null },
  end: {
    outcome: { ok: true, result: createBlob('application/json', Buffer.from(text)), files: [] },
    warnings: [],
    ttlMs: 60_000,
  },
});

test('two runs of one job that end in one statement leave one result and one blob', async () => {
  const id = await insertRow();
  const [claimed] = await claimJobs(db, [{ id, isolated: false }], 60_000);
  const stale = endingOf(id, createId(), '{"title":"lost"}');
  const own = endingOf(id, claimed!.lease_token, '{"of":"the run that holds it"}');
  const answers = await endJobs(db, [stale, own, endingOf(createId(), createId(), '{"of":"no job"}')]);
  expect(answers.map((answer) => answer !== null)).toEqual([false, true, false]);
  const ids = [stale, own].map(({ end: { outcome } }) => (outcome.ok ? outcome.result.id : ''));
  const stored = await db.selectFrom('blobs').select('id').where('id', 'in', ids).execute();
  expect(stored).toEqual([{ id: ids[1] }]);
  const { body } = await call(`/api/proxy/jobs/${id}`);
  expect(body['data']).toMatchObject({ status: 'succeeded', result: { of: 'the run that holds it' } });
});

test('a row that two workers died of is not claimed by a dispatch from before, and that costs it no attempt', async () => {
  const id = await insertRow();
  await db.updateTable('jobs').set({ crashes: 2 }).where('id', '=', id).execute();
  expect(await claimJobs(db, [{ id, isolated: false }], 60_000)).toEqual([undefined]);
  const [claimed] = await claimJobs(db, [{ id, isolated: true }], 60_000);
  expect(claimed).toMatchObject({ id, status: 'running', attempts: 1 });
  await db.deleteFrom('jobs').where('id', '=', id).execute();
});

test('a parent whose parts do not end in its time fails, and they are canceled', async () => {
  const deadline = { deadline_at: new Date(Date.now() - 10_000) };
  const parent = await insertRow({ ...deadline, pending_children: 1, total_children: 1 });
  const part = await insertRow({ parent_id: parent, ordinal: 0, root_id: parent });
  await db.updateTable('jobs').set({ status: 'waiting' }).where('id', '=', parent).execute();
  const jobOf = async (id: string) => (await call(`/api/proxy/jobs/${id}`)).body['data'];
  await expect.poll(() => jobOf(parent), { timeout: 10_000 }).toMatchObject({ status: 'failed' });
  expect((await jobOf(parent)).error).toMatchObject({ code: 'job_timeout' });
  const row = await db.selectFrom('jobs').select('status').where('id', '=', part).executeTakeFirst();
  expect(row).toEqual({ status: 'canceled' });
});

test.each([60, 61, 62])('%i ends in one statement', async (count) => {
  const endings = Array.from({ length: count }, () => endingOf(createId(), createId(), '{}'));
  expect(await endJobs(db, endings)).toEqual(Array(count).fill(null));
});

test('a row that two dispatches claim in one statement is given to one of them', async () => {
  const id = await insertRow();
  const claims = Array.from({ length: 3 }, () => ({ id, isolated: false }));
  const claimed = (await claimJobs(db, claims, 60_000)).filter((row) => row !== undefined);
  expect(claimed.map((row) => row.id)).toEqual([id]);
  await db.deleteFrom('jobs').where('id', '=', id).execute();
});
