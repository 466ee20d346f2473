import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createBlob } from '../../src/shared/blobs/blob.ts';
import { createDb, type Db } from '../../src/shared/db/client.ts';
import { endJobs, type JobEnding } from '../../src/shared/jobs/transitions/end.ts';
import { takeBacklog } from '../../src/shared/jobs/backlog.ts';
import { type Announcer, createAnnouncer } from '../../src/shared/jobs/announcer.ts';
import type { Dispatcher } from '../../src/shared/jobs/dispatcher.ts';
import { startReconciler } from '../../src/shared/jobs/reconciler.ts';
import { cancelJob } from '../../src/shared/jobs/transitions/cancel.ts';
import { claimJobs, createLeaseToken, endLeasesOf } from '../../src/shared/jobs/transitions/lease.ts';
import { releaseParent } from '../../src/shared/jobs/transitions/park.ts';
import {
  findOverdueParents,
  recoverLostLeases,
  timeOutParent,
} from '../../src/shared/jobs/transitions/recover.ts';
import type { NewJobRow } from '../../src/shared/db/tables.ts';
import { createId } from '../../src/shared/ids.ts';
import { createLog } from '../../src/shared/log.ts';
import { createMetrics } from '../../src/shared/metrics/metrics.ts';
import { call } from '../support/client.ts';
import { environmentOf } from '../support/processes.ts';

let db: Db;
beforeAll(() => {
  const { DATABASE_URL: url = '' } = environmentOf(inject('stack'));
  db = createDb({ url, poolSize: 1, onError: () => undefined });
});
afterAll(() => db.destroy());

/** A queued row that no worker knows of. */
async function insertRow(more: Partial<NewJobRow> = {}, on = db): Promise<string> {
  const id = createId();
  const { user_id: userId } = await on
    .selectFrom('api_keys')
    .select('user_id')
    .orderBy('id')
    .executeTakeFirstOrThrow();
  await on
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

test('a parent whose parts do not end in its time fails, and they are canceled, whatever it was asked', async () => {
  // Of a client that got past the checks: Postgres keeps it as JSON, and cannot read it.
  const input = String.raw`{"url":"http://127.0.0.1/","focus":"\u0000"}`;
  const deadline = { deadline_at: new Date(Date.now() - 10_000), input };
  const parent = await insertRow({ ...deadline, pending_children: 1, total_children: 1 });
  const part = await insertRow({
    parent_id: parent,
    ordinal: 0,
    root_id: parent,
    created_at: new Date(Date.now() - 20_000),
    started_at: new Date(Date.now() - 20_000),
  });
  await db.updateTable('jobs').set({ status: 'waiting' }).where('id', '=', parent).execute();
  const jobOf = async (id: string) => (await call(`/api/proxy/jobs/${id}`)).body['data'];
  await expect.poll(() => jobOf(parent), { timeout: 10_000 }).toMatchObject({ status: 'failed' });
  expect((await jobOf(parent)).error).toMatchObject({ code: 'job_timeout' });
  const row = await db.selectFrom('jobs').select('status').where('id', '=', part).executeTakeFirst();
  expect(row).toEqual({ status: 'canceled' });
});

/** Undone at its end: nobody else sees its rows. */
async function unseen(work: (trx: Db) => Promise<void>): Promise<void> {
  const trx = await db.startTransaction().execute();
  await work(trx).finally(() => trx.rollback().execute());
}

test('what waits in the queue for its parts does not lose its time there', async () => {
  await unseen(async (trx) => {
    const now = Date.now();
    const secondsAgo = (seconds: number) => new Date(now - seconds * 1_000);
    const late = { status: 'waiting', deadline_at: secondsAgo(30), pending_children: 1 } as const;
    const partOf = { ordinal: 0, created_at: secondsAgo(90) };
    const queued = await insertRow(late, trx);
    const part = await insertRow({ ...partOf, parent_id: queued, root_id: queued }, trx);
    const begun = await insertRow(late, trx);
    await insertRow({ ...partOf, parent_id: begun, root_id: begun, started_at: secondsAgo(89) }, trx);
    const forgotten = await insertRow({ ...late, deadline_at: secondsAgo(3_600) }, trx);
    const old = { ...partOf, created_at: secondsAgo(3_700) };
    await insertRow({ ...old, parent_id: forgotten, root_id: forgotten }, trx);
    const overdue = new Set((await findOverdueParents(trx)).map(({ id }) => id));
    expect([queued, begun, forgotten].filter((id) => overdue.has(id))).toEqual([begun, forgotten]);

    await trx
      .updateTable('jobs')
      .set({ started_at: secondsAgo(10) })
      .where('id', '=', part)
      .execute();
    expect(await releaseParent(trx, queued, 1)).toMatchObject({ id: queued });
    const [row] = await trx.selectFrom('jobs').select('deadline_at').where('id', '=', queued).execute();
    expect(row?.deadline_at?.getTime()).toBe(late.deadline_at.getTime() + 80_000);
  });
});

test('the parts of a part come before the other parts of a request, and a younger request behind them', async () => {
  await unseen(async (trx) => {
    const owner = createId();
    await trx
      .insertInto('users')
      .values({ id: owner, name: '', email: `${owner}@example.com` })
      .execute();
    const queued = { user_id: owner, dispatched_at: null };
    const root = await insertRow({ user_id: owner, status: 'waiting' }, trx);
    const partOf = (parent: string, ordinal: number, more: Partial<NewJobRow> = {}) =>
      insertRow({ ...queued, parent_id: parent, ordinal, root_id: root, ...more }, trx);
    const begun = await partOf(root, 0, { status: 'waiting' });
    const next = await partOf(root, 1);
    const younger = await insertRow(queued, trx);
    const inner = await partOf(begun, 0);
    const licence = { user_id: owner, plan: 'free', rate_limit: 1, user_rate_limit: 1, max_keys: 1 };
    await trx
      .insertInto('licenses')
      .values({ ...licence, max_concurrent_jobs: 1 })
      .execute();
    const taken = [];
    for (let n = 0; n < 3; n++) {
      for (const { id } of await takeBacklog(trx, [owner])) {
        taken.push(id);
        await trx.updateTable('jobs').set({ status: 'succeeded' }).where('id', '=', id).execute();
      }
    }
    expect(taken).toEqual([inner, next, younger]);
  });
});

test.each([60, 61, 62])('%i ends in one statement', async (count) => {
  const endings = Array.from({ length: count }, () => endingOf(createId(), createId(), '{}'));
  expect(await endJobs(db, endings)).toEqual(Array(count).fill(null));
});

test('what a process ran that has died is queued again for the one that follows it, and nothing else', async () => {
  const [dead, living] = [createId(), createId()];
  const rows = { lost: await insertRow(), held: await insertRow() };
  const claims = [
    { id: rows.lost, isolated: false, token: createLeaseToken(dead) },
    { id: rows.held, isolated: false, token: createLeaseToken(living) },
  ];
  expect(await claimJobs(db, claims, 60_000)).toMatchObject(claims.map(({ id }) => ({ id })));
  await endLeasesOf(db, dead);
  const options = { leaseMs: 1_000, ttlMs: 60_000, isSteady: () => true, holder: dead };
  const recovered = [];
  for await (const { change } of recoverLostLeases(db, options)) recovered.push(change.id);
  expect(recovered).toEqual([rows.lost]);
  const crashesOf = async (id: string) =>
    (await db.selectFrom('jobs').select('crashes').where('id', '=', id).executeTakeFirst())?.crashes;
  expect([await crashesOf(rows.lost), await crashesOf(rows.held)]).toEqual([1, 0]);
  await db.deleteFrom('jobs').where('id', 'in', Object.values(rows)).execute();
});

test('a row that is recovered is told of whatever becomes of the next one', async () => {
  const dead = createId();
  const rows = [await insertRow(), await insertRow()].toSorted();
  const claims = rows.map((id) => ({ id, isolated: false, token: createLeaseToken(dead) }));
  expect(await claimJobs(db, claims, 60_000)).toHaveLength(2);
  await endLeasesOf(db, dead);
  const told: string[] = [];
  const isSteady = () => {
    if (told.length > 0) throw new Error('Postgres is away');
    return true;
  };
  const recovery = async () => {
    for await (const { change } of recoverLostLeases(db, {
      leaseMs: 1_000,
      ttlMs: 60_000,
      isSteady,
      holder: dead,
    }))
      told.push(change.id);
  };
  await expect(recovery()).rejects.toThrow('Postgres is away');
  expect(told).toEqual(rows.slice(0, 1));
  await db.deleteFrom('jobs').where('id', 'in', rows).execute();
});

const log = createLog({ level: 'silent', name: 'test' });
const tellsNobody = { changed: () => undefined, ended: () => undefined } as unknown as Announcer;

/** One whose passes do nothing here. @param taken what Redis tells. */
function openReconciler(taken: () => Promise<string[]>, announcer = tellsNobody) {
  const dispatched: string[] = [];
  const dispatch = async (rows: readonly { id: string }[]) =>
    void dispatched.push(...rows.map(({ id }) => id));
  const reconciler = startReconciler({
    db,
    dispatcher: { dispatch, listTaken: taken } as unknown as Dispatcher,
    announcer,
    log,
    leaseMs: 1_000,
    resultTtlMs: 60_000,
    intervalMs: 600_000,
  });
  return { reconciler, dispatched };
}

test('what a process ran that has died is queued again also where Redis does not tell what it had taken', async () => {
  const holder = createId();
  const id = await insertRow();
  await claimJobs(db, [{ id, isolated: false, token: createLeaseToken(holder) }], 60_000);
  const { reconciler } = openReconciler(() => Promise.reject(new Error('Redis is away')));
  await using _ = reconciler;
  await expect(reconciler.recoverFrom(holder, ['http'])).rejects.toThrow('Redis is away');
  const row = await db.selectFrom('jobs').select('crashes').where('id', '=', id).executeTakeFirst();
  expect(row).toEqual({ crashes: 1 });
  await db.deleteFrom('jobs').where('id', '=', id).execute();
});

test('what a process ran and what it had taken is told of once each', async () => {
  const holder = createId();
  const rows = [await insertRow(), await insertRow(), await insertRow()] as const;
  const [ran, begun, waits] = rows;
  const claims = [
    { id: ran, isolated: false, token: createLeaseToken(holder) },
    { id: begun, isolated: false, token: createLeaseToken(createId()) },
  ];
  await claimJobs(db, claims, 60_000);
  const { reconciler, dispatched } = openReconciler(async () => [ran, begun, waits]);
  await using _ = reconciler;
  await reconciler.recoverFrom(holder, ['http']);
  expect(dispatched.toSorted()).toEqual([ran, waits].toSorted());
  await db.deleteFrom('jobs').where('id', 'in', rows).execute();
});

test('what is canceled, given up or timed out is counted among the jobs that have ended, each once', async () => {
  const { jobs } = createMetrics('worker');
  const announcer = createAnnouncer({ publish: async () => 0 } as unknown as Redis, log, { jobs });
  const holder = createId();
  const [lost, canceled, parent] = [await insertRow({ crashes: 2 }), await insertRow(), await insertRow()];
  const part = await insertRow({ parent_id: parent, root_id: parent, ordinal: 0, operation: 'page.render' });
  await claimJobs(db, [{ id: lost, isolated: true, token: createLeaseToken(holder) }], 60_000);
  const { reconciler } = openReconciler(async () => [], announcer);
  await using _ = reconciler;
  await reconciler.recoverFrom(holder, ['http']);
  for (let times = 0; times < 2; times++) {
    announcer.canceled((await cancelJob(db, canceled, 60_000)).canceled);
    announcer.canceled((await timeOutParent(db, { id: parent, parentId: null }, 60_000)).canceled);
  }
  const { values } = await jobs.get();
  expect(values.map(({ labels, value }) => ({ ...labels, value }))).toEqual([
    { operation: 'web.scrape', status: 'failed', code: 'worker_lost', value: 1 },
    { operation: 'web.scrape', status: 'canceled', code: '', value: 1 },
    { operation: 'web.scrape', status: 'failed', code: 'job_timeout', value: 1 },
    { operation: 'page.render', status: 'canceled', code: '', value: 1 },
  ]);
  await db.deleteFrom('jobs').where('id', 'in', [lost, canceled, parent, part]).execute();
});

test('a row that two dispatches claim in one statement is given to one of them', async () => {
  const id = await insertRow();
  const claims = Array.from({ length: 3 }, () => ({ id, isolated: false }));
  const claimed = (await claimJobs(db, claims, 60_000)).filter((row) => row !== undefined);
  expect(claimed.map((row) => row.id)).toEqual([id]);
  await db.deleteFrom('jobs').where('id', '=', id).execute();
});
