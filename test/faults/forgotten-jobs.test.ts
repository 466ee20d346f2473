import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { insertJobs, keepJobs } from '../../src/shared/jobs/transitions/accept.ts';
import { createId } from '../../src/shared/ids.ts';
import { type ApiCluster, type OwnedKey, startApiCluster } from '../support/api-cluster.ts';
import { call, scrapePath } from '../support/client.ts';
import { startWire, type Wire } from '../support/wire.ts';

/** The insert of a job that is waited for does not wait for the disk: a crash of Postgres may forget it. */

let cluster: ApiCluster;
let toPostgres: Wire;
let api: { url: string };
let owned: OwnedKey;
beforeAll(async () => {
  cluster = await startApiCluster({ processes: 0 });
  toPostgres = await startWire(cluster.env['DATABASE_URL'] ?? '');
  api = await cluster.startApi({ DATABASE_URL: toPostgres.url });
});
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
  await toPostgres?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await cluster.db.deleteFrom('jobs').execute();
  owned = await cluster.createKey(100);
});

// No worker runs here.
const submit = (headers: Record<string, string>) =>
  call(scrapePath, { key: owned.key, body: { url: 'https://example.com/' }, headers }, api.url);
const jobsThere = () => cluster.db.selectFrom('jobs').select(['id', 'status']).execute();

async function untilInserted(): Promise<string> {
  await expect.poll(jobsThere, { interval: 5 }).toHaveLength(1);
  return (await jobsThere())[0]!.id;
}

const usesLeft = async () =>
  (await call('/api/keys/validate', { key: owned.key, method: 'POST' }, api.url)).body['remaining'];

const nothingPromised = {
  status: 503,
  code: 'unavailable',
  detail: expect.stringContaining('nothing was promised'),
};

test('one that was forgotten is a 503 that promises nothing, and costs nothing', async () => {
  const asked = submit({ Prefer: 'wait=20' });
  const id = await untilInserted();
  await cluster.db.transaction().execute(async (trx) => {
    await trx.deleteFrom('jobs').where('id', '=', id).execute();
    await trx.deleteFrom('job_events').where('job_id', '=', id).execute();
  });
  const answer = await asked;
  expect(answer.body).toMatchObject({ ...nothingPromised, retryable: true });
  expect(answer.headers.get('x-job-id')).toBeNull();
  expect(answer.headers.get('retry-after')).toBe('1');
  expect(await usesLeft()).toBe(100);
});

test('where Postgres falls silent before it is kept, it is taken back', async () => {
  const asked = submit({ Prefer: 'wait=20' });
  const id = await untilInserted();
  toPostgres.hang();
  const answer = await asked;
  expect(answer.body).toMatchObject(nothingPromised);
  expect(answer.headers.get('x-job-id')).toBeNull();
  expect(JSON.stringify(answer.body)).not.toContain(id);
  toPostgres.cut();
  toPostgres.pass();
  await expect.poll(jobsThere, { timeout: 15_000 }).toEqual([]);
  expect(await usesLeft()).toBe(100);
}, 60_000);

test('one whose wait is over is there for whom it is told to', async () => {
  const answer = await submit({ Prefer: 'wait=1' });
  expect(answer.status).toBe(202);
  const [row] = await jobsThere();
  expect(answer.headers.get('x-job-id')).toBe(row?.id);
  expect(await usesLeft()).toBe(99);
});

test('to keep a job is to wait until all that was committed before is on the disk', async () => {
  const { body } = await submit({ Prefer: 'respond-async' });
  const position = await cluster.db.transaction().execute(async (trx) => {
    await sql`set local synchronous_commit = off`.execute(trx);
    await trx.updateTable('jobs').set({ request_id: 'later' }).where('id', '=', body['data'].id).execute();
    const {
      rows: [row],
    } = await sql<{ at: string }>`select pg_current_wal_insert_lsn()::text as at`.execute(trx);
    return row?.at;
  });
  expect(await keepJobs(cluster.db, [body['data'].id, createId()])).toEqual([body['data'].id]);
  const {
    rows: [kept],
  } = await sql<{ is: boolean }>`
    select pg_current_wal_flush_lsn() >= ${position}::pg_lsn as is`.execute(cluster.db);
  expect(kept?.is).toBe(true);
});

test('the insert waits for the disk where one of those that it is made of must', async () => {
  const row = () => ({
    id: createId(),
    user_id: owned.userId,
    operation: 'web.scrape',
    queue: 'http' as const,
    input: '{}',
    input_hash: Buffer.alloc(32),
    timeout_ms: 60_000,
  });
  const waits = (untold: readonly boolean[]) =>
    cluster.db.transaction().execute(async (trx) => {
      const jobs = untold.map((is) => ({ row: row(), keyState: null, untold: is }));
      const inserted = await insertJobs(trx, jobs, 100);
      expect(inserted.map(({ outcome }) => outcome)).toEqual(untold.map(() => 'inserted'));
      const { rows } = await sql<{ is: string }>`select current_setting('synchronous_commit') as is`.execute(
        trx,
      );
      return rows[0]?.is;
    });
  expect(await waits([true])).toBe('off');
  expect(await waits([true, true])).toBe('off');
  expect(await waits([false])).toBe('on');
  expect(await waits([true, false])).toBe('on');
});
