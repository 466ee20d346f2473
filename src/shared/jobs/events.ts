import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../db/client.ts';
import type { JobEventKind } from '../db/tables.ts';

export interface JobEvent {
  /** Grows; of two events of a job the later one has the greater. There are gaps. */
  seq: number;
  jobId: string;
  userId: string;
  kind: JobEventKind;
  at: Date;
}

/**
 * Numbers are taken before their transaction commits, so a greater one may be seen before a smaller one, and who has
 * read up to the greater would never see the smaller. Below the horizon no number can turn up any more.
 *
 * How it is found: the last number that was taken, and after that a transaction id of our own. Whoever has taken a
 * number up to the first had a smaller id before, as the number follows the change of the row. (The end of a snapshot
 * would not do: it follows the last transaction that has ended, and greater ones may be under way.) When all transactions below the second have ended, all numbers up to the first are there or will never be. And
 * then their log must be on disk: a crash of Postgres forgets what was committed without waiting for it (claims are),
 * and would give the same numbers again.
 */
interface Horizon {
  seq: number;
  /** Numbers that are not settled yet, the oldest first. */
  waiting: { seq: number; transactionId: bigint; logPosition: bigint | null }[];
}

const horizons = new WeakMap<Db, Horizon>();
const lookAgainMs = 20;
const waitingAtMost = 100;

/** The greatest number that was ever given; 0 before the first. */
export async function getLastTakenSeq(db: Db): Promise<number> {
  const { rows } = await sql<{ seq: number }>`
    select case when is_called then last_value else 0 end as seq from job_events_seq_seq`.execute(db);
  return rows[0]?.seq ?? 0;
}

interface Position {
  /** All transactions with a smaller id have ended. */
  oldest: string;
  /** An id that was given just now; null where none was asked for. */
  ownId: string | null;
  written: string;
  flushed: string;
}

/** @param takesId an id costs a record in the log. */
async function getPosition(db: Db, takesId: boolean): Promise<Position> {
  const { rows } = await sql<Position>`
    select pg_snapshot_xmin(pg_current_snapshot())::text as oldest,
      ${takesId ? sql`pg_current_xact_id()::text` : sql`null`} as "ownId",
      (pg_current_wal_insert_lsn() - '0/0')::text as written, (pg_current_wal_flush_lsn() - '0/0')::text as flushed
  `.execute(db);
  const [position] = rows;
  if (position === undefined) throw new Error('Postgres did not tell where it is');
  return position;
}

function settle(horizon: Horizon, { oldest, written, flushed }: Position): void {
  for (const one of horizon.waiting) {
    if (BigInt(oldest) >= one.transactionId) one.logPosition ??= BigInt(written);
    if (one.logPosition !== null && BigInt(flushed) >= one.logPosition) {
      horizon.seq = Math.max(horizon.seq, one.seq);
    }
  }
  horizon.waiting = horizon.waiting.filter((one) => one.seq > horizon.seq);
}

/**
 * The greatest number below which nothing can turn up any more: what comes from now on is
 * after it. A transaction that has written and stays open, anywhere in the Postgres server, holds it back.
 */
export async function getEventHorizon(db: Db, waitMs = 1_000): Promise<number> {
  const horizon = horizons.get(db) ?? { seq: 0, waiting: [] };
  horizons.set(db, horizon);
  const start = performance.now();
  const seq = await getLastTakenSeq(db);
  for (let isFirst = true; ; isFirst = false) {
    const takesId = isFirst && seq > horizon.seq && horizon.waiting.length < waitingAtMost;
    const position = await getPosition(db, takesId);
    if (position.ownId !== null) {
      horizon.waiting.push({ seq, transactionId: BigInt(position.ownId), logPosition: null });
    }
    settle(horizon, position);
    if (horizon.seq >= seq || performance.now() - start > waitMs) return horizon.seq;
    await sleep(lookAgainMs);
  }
}

/** Numbers that are known to be settled (see `getEventHorizon`), and whose events are wanted. */
export interface EventRange {
  after: number;
  /** At most the horizon. */
  upTo: number;
  /** Only these users'. Default: everybody's. */
  userIds?: readonly string[];
  limit: number;
}

/** Events in the order of their numbers. */
export async function readSettledEvents(
  db: Db,
  { after, upTo, userIds, limit }: EventRange,
): Promise<JobEvent[]> {
  const [userId = '', ...others] = userIds ?? [];
  return await db
    .selectFrom('job_events')
    .select(['seq', 'job_id as jobId', 'user_id as userId', 'kind', 'at'])
    .where('seq', '>', after)
    .where('seq', '<=', upTo)
    // Of one user they are found in their order; of many they would be sorted first.
    .$if(userIds !== undefined && others.length === 0, (query) => query.where('user_id', '=', userId))
    .$if(others.length > 0, (query) => query.where('user_id', 'in', userIds ?? []))
    .orderBy('seq')
    .limit(limit)
    .execute();
}

/** The jobs of those that have events after a number, settled or not. */
export async function findJobsChangedAfter(
  db: Db,
  { userId, jobIds, after }: { userId: string; jobIds: readonly string[]; after: number },
): Promise<Set<string>> {
  const rows = await db
    .selectFrom('job_events')
    .select('job_id')
    .distinct()
    .where('user_id', '=', userId)
    .where('seq', '>', after)
    .where('job_id', 'in', jobIds)
    .execute();
  return new Set(rows.map((row) => row.job_id));
}

/** The oldest number that is kept; null where none is. */
export async function findOldestSeq(db: Db): Promise<number | null> {
  const row = await db.selectFrom('job_events').select('seq').orderBy('seq').limit(1).executeTakeFirst();
  return row?.seq ?? null;
}
