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

export interface EventQuery {
  /** The last number that was read; 0 for all that are kept. */
  after: number;
  /** Only this user's. */
  userId?: string;
  limit: number;
  /** How long to wait at most for what is being written at the moment of the call. Default 1,000. */
  waitMs?: number;
}

/**
 * Numbers are taken before their transaction commits, so a greater one may be seen before a smaller one, and who has
 * read up to the greater would never see the smaller. Below the horizon no number can turn up any more.
 *
 * How it is found: the last number that was taken, and after that the first transaction id that was not given yet.
 * Whoever has taken a number up to the first had its transaction id before, as the number follows the change of the
 * row: when all transactions below the second have ended, all numbers up to the first are there or will never be. And
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
  /** No transaction with this id or a greater one had begun. */
  next: string;
  written: string;
  flushed: string;
}

async function getPosition(db: Db): Promise<Position> {
  const { rows } = await sql<Position>`
    select pg_snapshot_xmin(pg_current_snapshot())::text as oldest, pg_snapshot_xmax(pg_current_snapshot())::text as next,
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
 * The greatest number below which nothing can turn up any more: `readJobEvents` after it answers what comes from now
 * on. A transaction that has written and stays open, anywhere in the Postgres server, holds it back.
 */
export async function getEventHorizon(db: Db, waitMs = 1_000): Promise<number> {
  const horizon = horizons.get(db) ?? { seq: 0, waiting: [] };
  horizons.set(db, horizon);
  const start = performance.now();
  const seq = await getLastTakenSeq(db);
  for (let isFirst = true; ; isFirst = false) {
    const position = await getPosition(db);
    if (isFirst && seq > horizon.seq && horizon.waiting.length < waitingAtMost) {
      horizon.waiting.push({ seq, transactionId: BigInt(position.next), logPosition: null });
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

/** Events in the order of their numbers; whoever goes on after the last one misses none. */
export async function readJobEvents(
  db: Db,
  { after, userId, limit, waitMs }: EventQuery,
): Promise<JobEvent[]> {
  const upTo = await getEventHorizon(db, waitMs);
  const userIds = userId === undefined ? {} : { userIds: [userId] };
  return await readSettledEvents(db, { after, upTo, limit, ...userIds });
}
