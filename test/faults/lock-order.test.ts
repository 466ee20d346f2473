import { sql } from 'kysely';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createBlob } from '../../src/shared/blobs/blob.ts';
import { createDb, type Db } from '../../src/shared/db/client.ts';
import { cancelJob } from '../../src/shared/jobs/transitions/cancel.ts';
import { endJobs } from '../../src/shared/jobs/transitions/end.ts';
import { claimJobs, type Lease, renewLeases } from '../../src/shared/jobs/transitions/lease.ts';
import { insertJobs } from '../../src/shared/jobs/transitions/accept.ts';
import { takeBacklog } from '../../src/shared/jobs/backlog.ts';
import type { NewJobRow } from '../../src/shared/db/tables.ts';
import { createId } from '../../src/shared/ids.ts';
import { environmentOf } from '../support/processes.ts';

/** Where two statements wait for each other, Postgres fails one of them, after a second. */

const minuteMs = 60_000;
const inAnHour = new Date(Date.now() + 60 * minuteMs);

let db: Db;
let userId: string;
beforeAll(async () => {
  const url = environmentOf(inject('stack'))['DATABASE_URL'] ?? '';
  db = createDb({ url, poolSize: 5, onError: () => undefined });
  userId = (await db.selectFrom('users').select('id').executeTakeFirstOrThrow()).id;
});
afterAll(() => db.destroy());

/** Rows that no worker of the stack comes to. @returns their ids in order. */
async function insertRows(rows: readonly Partial<NewJobRow>[]): Promise<string[]> {
  const ids = rows.map(() => createId());
  const all = {
    user_id: userId,
    operation: 'web.scrape',
    queue: 'http' as const,
    input: '{}',
    input_hash: Buffer.alloc(32),
    timeout_ms: minuteMs,
    dispatched_at: inAnHour,
  };
  await db
    .insertInto('jobs')
    .values(rows.map((row, index) => ({ ...all, ...row, id: ids[index] ?? '' })))
    .execute();
  return ids;
}

/** Starts the statements one after the other while a row is locked, each when the one before waits; lets them go on. */
async function behindLock(id: string, statements: readonly (() => Promise<unknown>)[]): Promise<unknown[]> {
  const started: Promise<unknown>[] = [];
  await db.transaction().execute(async (trx) => {
    await sql`select from jobs where id = ${id} for update`.execute(trx);
    for (const start of statements) {
      const statement = start();
      statement.catch(() => undefined);
      started.push(statement);
      await expect.poll(countWaiting).toBeGreaterThanOrEqual(started.length);
    }
  });
  return await Promise.all(started);
}

async function countWaiting(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%jobs%'`.execute(db);
  return rows[0]?.count ?? 0;
}

async function insertRunning(count: number): Promise<Lease[]> {
  const tokens = Array.from({ length: count }, () => createId());
  const ids = await insertRows(
    tokens.map((token) => ({ status: 'running', lease_token: token, lease_expires_at: inAnHour })),
  );
  return ids.map((id, index) => ({ id, token: tokens[index] ?? '' }));
}

test('ends and the renewal of leases take rows in one order', async () => {
  const [first, second] = (await insertRunning(2)) as [Lease, Lease];
  const endingOf = (lease: Lease) => ({
    job: { ...lease, parentId: null },
    end: {
      outcome: { ok: true as const, result: createBlob('application/json', Buffer.from('{}')), files: [] },
      warnings: [],
      ttlMs: minuteMs,
    },
  });
  const [renewed, ended] = (await behindLock(first.id, [
    () => renewLeases(db, [second, first], minuteMs),
    () => endJobs(db, [endingOf(second), endingOf(first)]),
  ])) as [Set<string>, unknown[]];
  expect(renewed).toEqual(new Set([first.id, second.id]));
  expect(ended.filter(Boolean)).toHaveLength(2);
});

test('claims and the cancellation of their parent take rows in one order', async () => {
  const [parent = ''] = await insertRows([{ status: 'waiting', pending_children: 2 }]);
  const part = (ordinal: number) => ({ parent_id: parent, root_id: parent, ordinal });
  const [first = '', second = ''] = await insertRows([part(0), part(1)]);
  const [canceled, claimed] = (await behindLock(first, [
    () => cancelJob(db, parent, minuteMs),
    () =>
      claimJobs(
        db,
        [second, first].map((id) => ({ id, isolated: false })),
        minuteMs,
      ),
  ])) as [{ canceled: string[] }, unknown[]];
  expect(canceled.canceled).toHaveLength(3);
  expect(claimed).toEqual([undefined, undefined]);
});

test('slots of one user that are taken at the same time are never more than the plan allows', async () => {
  const owner = createId();
  await db
    .insertInto('users')
    .values({ id: owner, name: 'queued', email: `${owner}@example.com`, role: 'user' })
    .execute();
  const slots = 2;
  await insertRows(
    Array.from({ length: 12 }, () => ({ user_id: owner, dispatched_at: null, run_at: inAnHour })),
  );
  const taken = await Promise.all(Array.from({ length: 5 }, () => takeBacklog(db, [owner, owner])));
  expect(taken.flat().length).toBeLessThanOrEqual(slots);
  const { dispatched } = await db
    .selectFrom('jobs')
    .select((eb) => eb.fn.count<number>('dispatched_at').as('dispatched'))
    .where('user_id', '=', owner)
    .executeTakeFirstOrThrow();
  expect(dispatched).toBe(slots);
});

test('a new job does not overtake rows in the backlog', async () => {
  const taken = db.transaction().execute(async (trx) => {
    const owner = createId();
    const row = {
      user_id: owner,
      key_id: null,
      operation: 'web.scrape',
      queue: 'http' as const,
      input: '{}',
      input_hash: Buffer.alloc(32),
      timeout_ms: minuteMs,
      run_at: inAnHour,
    };
    await trx
      .insertInto('users')
      .values({ id: owner, name: 'queued', email: `${owner}@example.com`, role: 'user' })
      .execute();
    const backlog = [createId(), createId(), createId()];
    // Of a user without a license, who has two slots.
    await trx
      .insertInto('jobs')
      .values(backlog.map((id) => ({ ...row, id })))
      .execute();
    const [inserted] = await insertJobs(
      trx,
      [{ row: { ...row, id: createId() }, keyState: null, untold: false }],
      100,
    );
    expect(inserted).toEqual({ outcome: 'inserted', dispatch: null, behindBacklog: true });
    const dispatched = await takeBacklog(trx, [owner]);
    expect(dispatched.map(({ id }) => id).toSorted()).toEqual(backlog.slice(0, 2));
    // What was inserted here is not committed: nobody else takes these rows.
    throw new Error('roll back');
  });
  await expect(taken).rejects.toThrow('roll back');
});
