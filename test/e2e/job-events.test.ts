import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTail } from '../../src/api/feed/tail.ts';
import { createDb, type Db } from '../../src/shared/db/client.ts';
import { createId } from '../../src/shared/ids.ts';
import { listenForChanges } from '../../src/shared/jobs/announcer.ts';
import {
  deleteOldEvents,
  getEventHorizon,
  type JobEvent,
  readSettledEvents,
} from '../../src/shared/jobs/events.ts';
import type { JobChange } from '../../src/shared/jobs/transitions/write-events.ts';
import { createLog } from '../../src/shared/log.ts';
import { createRedis } from '../../src/shared/redis.ts';
import { call } from '../support/client.ts';
import { flawsOfEvents } from '../support/job-events.ts';
import { environmentOf } from '../support/processes.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
let db: Db;
beforeAll(async () => {
  service = await startService({
    env: {
      EXTENSIONS: join(import.meta.dirname, '../support/operations'),
      PLANS: JSON.stringify({ scale: { rateLimit: 100_000, maxConcurrentJobs: 50, maxKeys: 50 } }),
    },
  });
  db = createDb({
    url: environmentOf(service)['DATABASE_URL'] ?? '',
    poolSize: 6,
    onError: () => undefined,
  });
});
afterAll(async () => {
  await db.destroy();
  await service.stop();
});

/** As a reader goes on: up to the number below which nothing can turn up any more. */
async function readJobEvents(
  from: Db,
  { after, userId, limit, waitMs }: { after: number; userId?: string; limit: number; waitMs?: number },
): Promise<JobEvent[]> {
  const upTo = await getEventHorizon(from, waitMs === undefined ? {} : { waitMs });
  return await readSettledEvents(from, { after, upTo, limit, ...(userId && { userIds: [userId] }) });
}

const headers = { Prefer: 'respond-async' };
async function submit(operation: string, body: Record<string, unknown>): Promise<string> {
  const path = `/api/proxy/test/v1/${operation}`;
  return (await call(path, { key: service.key, body, headers }, service.url)).body['data'].id;
}

const jobOf = async (id: string) =>
  (await call(`/api/proxy/jobs/${id}`, { key: service.key }, service.url)).body['data'];

const remove = (id: string) =>
  call(`/api/proxy/jobs/${id}`, { key: service.key, method: 'DELETE' }, service.url);

async function untilEnded(id: string): Promise<void> {
  await expect.poll(async () => (await jobOf(id)).status, { timeout: 30_000 }).not.toMatch(/queued|running/);
}

async function kindsOf(id: string): Promise<string[]> {
  const events = await readJobEvents(db, { after: 0, limit: 1_000_000 });
  return events.filter((event) => event.jobId === id).map((event) => event.kind);
}

test('a job tells its life in order, up to the deletion of its result', async () => {
  const id = await submit('noop', {});
  await untilEnded(id);
  expect(await kindsOf(id)).toEqual(['accepted', 'started', 'succeeded']);
  await remove(id);
  await remove(id);
  expect(await kindsOf(id)).toEqual(['accepted', 'started', 'succeeded', 'expired']);
});

test('a job of several parts tells when it waits for them and when it goes on; its parts tell nothing', async () => {
  const id = await submit('waves', { value: 3, width: 4, ms: 10 });
  await untilEnded(id);
  const kinds = await kindsOf(id);
  expect(flawsOfEvents(kinds)).toEqual([]);
  expect(kinds.filter((kind) => kind === 'parked').length).toBeGreaterThan(0);
  expect(kinds).toContain('progress');
  const parts = await db.selectFrom('jobs').select('id').where('parent_id', '=', id).execute();
  expect(parts.length).toBeGreaterThan(0);
  expect(await kindsOf(parts[0]?.id ?? '')).toEqual([]);
});

test('who comes back reads on where they were, and only of their own jobs', async () => {
  const { user_id: userId } = await db.selectFrom('api_keys').select('user_id').executeTakeFirstOrThrow();
  const after = await getEventHorizon(db);
  const id = await submit('noop', {});
  await untilEnded(id);
  const first = await readJobEvents(db, { after, userId, limit: 2 });
  const rest = await readJobEvents(db, { after: first.at(-1)?.seq ?? 0, userId, limit: 100 });
  expect([...first, ...rest].map(({ jobId, kind }) => [jobId, kind])).toEqual(
    ['accepted', 'started', 'succeeded'].map((kind) => [id, kind]),
  );
  expect(await readJobEvents(db, { after, userId: createId(), limit: 100 })).toEqual([]);
});

test('an event whose transaction commits late is not passed over', async () => {
  const after = await getEventHorizon(db);
  const userId = createId();
  const insert = async (to: Db, kind: string) =>
    await sql`insert into job_events (job_id, user_id, kind) values (${createId()}, ${userId}, ${kind})`.execute(
      to,
    );
  let early: JobEvent[] = [];
  await db.transaction().execute(async (trx) => {
    await insert(trx, 'accepted');
    await insert(db, 'started');
    early = await readJobEvents(db, { after, userId, limit: 10, waitMs: 100 });
  });
  expect(early).toEqual([]);
  const all = await readJobEvents(db, { after, userId, limit: 10 });
  expect(all.map((event) => event.kind)).toEqual(['accepted', 'started']);
});

const writeEvent = async (to: Db, userId: string) =>
  await sql`insert into job_events (job_id, user_id, kind) values (${createId()}, ${userId}, 'accepted')`.execute(
    to,
  );

test('transactions that write something else hold no event back, however long they are', async () => {
  const after = await getEventHorizon(db);
  const userId = createId();
  const told = await db.transaction().execute(async (trx) => {
    await sql`create table unrelated (id int)`.execute(trx);
    await sql`select count(*) from job_events`.execute(trx);
    await writeEvent(db, userId);
    const events = await readJobEvents(db, { after, userId, limit: 10 });
    await sql`drop table unrelated`.execute(trx);
    return events;
  });
  expect(told).toHaveLength(1);
});

test('a number that was taken in a part of a transaction is waited for, one that was undone is not', async () => {
  const after = await getEventHorizon(db);
  const userId = createId();
  const read = () => readJobEvents(db, { after, userId, limit: 10, waitMs: 200 });
  await db.transaction().execute(async (trx) => {
    await sql`savepoint part`.execute(trx);
    await writeEvent(trx, userId);
    await sql`release savepoint part`.execute(trx);
    await writeEvent(db, userId);
    expect(await read()).toEqual([]);
  });
  expect(await read()).toHaveLength(2);
  await db.transaction().execute(async (trx) => {
    await sql`savepoint part`.execute(trx);
    await writeEvent(trx, userId);
    await sql`rollback to savepoint part`.execute(trx);
    await writeEvent(db, userId);
    expect(await read()).toHaveLength(3);
  });
});

test('a feed that cannot tell where it begins does not begin, and tells nothing old as new', async () => {
  const { DATABASE_URL: url = '' } = environmentOf(service);
  await using fresh = Object.assign(createDb({ url, poolSize: 2, onError: () => undefined }), {
    [Symbol.asyncDispose]: () => fresh.destroy(),
  });
  const begin = { waitMs: 100, upToNow: true };
  await db.transaction().execute(async (trx) => {
    await writeEvent(trx, createId());
    const unknown = { code: 'unavailable' };
    await expect(getEventHorizon(fresh, { waitMs: 100 })).rejects.toMatchObject(unknown);
    await expect(getEventHorizon(fresh, begin)).rejects.toMatchObject(unknown);
  });
  const known = await getEventHorizon(fresh, begin);
  expect(known).toBeGreaterThan(0);
  await db.transaction().execute(async (trx) => {
    await writeEvent(trx, createId());
    // Who has begun stays where it is; who would begin there would be told again what has been told.
    expect(await getEventHorizon(fresh, { waitMs: 100 })).toBe(known);
    await expect(getEventHorizon(fresh, begin)).rejects.toMatchObject({ code: 'unavailable' });
  });
});

test('of many who ask where the end is, all are told, and those who begin a feed ask Postgres together', async () => {
  const { DATABASE_URL: url = '' } = environmentOf(service);
  const fresh = createDb({ url, poolSize: 4, onError: () => undefined });
  try {
    const asked: Promise<number>[] = [];
    await db.transaction().execute(async (trx) => {
      await writeEvent(trx, createId());
      for (let n = 0; n < 130; n++) {
        await writeEvent(db, createId());
        asked.push(getEventHorizon(fresh, { waitMs: 8_000, upToNow: true }));
        await sleep(5);
      }
    });
    await Promise.all(asked);

    let queries = 0;
    const counted = fresh.withPlugin({
      transformQuery({ node }) {
        queries++;
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    await using tail = createTail({
      db: counted,
      log: createLog({ level: 'silent', name: 'test' }),
      listeners: () => new Set(),
      tell: async () => [],
      beforeDelivery: async () => undefined,
      deliver: () => undefined,
    });
    const begun: Promise<number>[] = [];
    await db.transaction().execute(async (trx) => {
      await writeEvent(trx, createId());
      for (let n = 0; n < 40; n++) begun.push(tail.start());
      await sleep(600);
    });
    const starts = await Promise.all(begun);
    expect(Math.min(...starts)).toBeGreaterThan(0);
    // Each polls once more; one has polled fifty times a second.
    expect(queries).toBeLessThan(40 * 4);
  } finally {
    await fresh.destroy();
  }
});

test('a reader who follows while jobs run sees the same as who reads later', async () => {
  const after = await getEventHorizon(db);
  const seen: JobEvent[] = [];
  let isOver = false;
  const following = (async () => {
    for (;;) {
      const wasOver = isOver;
      const events = await readJobEvents(db, { after: seen.at(-1)?.seq ?? after, limit: 50 });
      seen.push(...events);
      if (wasOver && events.length === 0) return;
      if (events.length === 0) await sleep(5);
    }
  })();
  const ids = await Promise.all(
    Array.from({ length: 60 }, (_, n) =>
      n % 6 === 0 ? submit('waves', { value: 2, width: 3, ms: 5 }) : submit('noop', { ms: n }),
    ),
  );
  for (const id of ids) await untilEnded(id);
  isOver = true;
  await following;
  expect(seen).toEqual(await readJobEvents(db, { after, limit: 1_000_000 }));
  const byJob = Map.groupBy(seen, (event) => event.jobId);
  for (const id of ids) {
    expect(flawsOfEvents((byJob.get(id) ?? []).map((event) => event.kind))).toEqual([]);
  }
});

test('a storm of cancellations over trees of jobs is answered, and each tells one end', async () => {
  const ids = await Promise.all(
    Array.from({ length: 72 }, (_, n) => submit('waves', { value: 2, width: 5, ms: 20 + n })),
  );
  const answers = await Promise.all(
    ids.map(async (id, n) => {
      await sleep((n % 12) * 25);
      return await Promise.all([remove(id), remove(id)]);
    }),
  );
  expect(new Set(answers.flat().map(({ status }) => status))).toEqual(new Set([200]));
  for (const id of ids) expect(flawsOfEvents(await kindsOf(id))).toEqual([]);
}, 60_000);

test('changes are announced with their user and job', async () => {
  const redis = createRedis({
    urls: [environmentOf(service)['REDIS_URL'] ?? ''],
    isCluster: false,
    onError: () => undefined,
    blocking: true,
  });
  const heard: JobChange[] = [];
  await redis.connect();
  listenForChanges(redis, createLog({ level: 'silent', name: 'test' }), (jobs) => heard.push(...jobs));
  // Answered after the subscription before it.
  await redis.subscribe('nothing');
  const { user_id: userId } = await db.selectFrom('api_keys').select('user_id').executeTakeFirstOrThrow();
  const id = await submit('noop', {});
  await expect.poll(() => heard).toContainEqual({ userId, id });
  redis.disconnect();
});

test('events are deleted when they are past their time, the oldest first', async () => {
  const id = createId();
  await sql`
    insert into job_events (job_id, user_id, kind, at) values (${id}, ${id}, 'deleted', now() - interval '2 hours')`.execute(
    db,
  );
  await sql`update job_events set at = now() - interval '2 hours'`.execute(db);
  const fresh = await submit('noop', {});
  await untilEnded(fresh);
  expect(await deleteOldEvents(db, 3_600_000)).toBeGreaterThan(0);
  expect(await kindsOf(id)).toEqual([]);
  expect(await kindsOf(fresh)).toEqual(['accepted', 'started', 'succeeded']);
});
