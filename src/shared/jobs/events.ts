import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { type Db, retryConflicts } from '../db/client.ts';
import type { JobEventKind } from '../db/tables.ts';
import { AppError } from '../errors.ts';

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
 * How it is found: the last number that was taken, and after that the transactions that hold the lock of writers on
 * `job_events`. Who has taken a number has that lock since before, and keeps it until after the end is there to be seen:
 * when all of them have let it go, all numbers up to the first are there or will never be. Other transactions, however
 * long they are, hold nothing back. And then the log must be on disk: a crash of Postgres forgets what was committed
 * without waiting for it (claims are), and would give the same numbers again.
 */
interface Horizon {
  /** Null before the first was found. */
  seq: number | null;
  /** Numbers that are not settled yet, the oldest first. */
  waiting: { seq: number; writers: readonly string[]; logPosition: bigint | null }[];
}

const horizons = new WeakMap<Db, Horizon>();
const pollEveryMs = 20;
const waitingAtMost = 100;

/** The greatest number that was ever given; 0 before the first. */
export async function getLastTakenSeq(db: Db): Promise<number> {
  const { rows } = await sql<{ seq: number }>`
    select case when is_called then last_value else 0 end as seq from job_events_seq_seq`.execute(db);
  return rows[0]?.seq ?? 0;
}

interface Position {
  /** The transactions that may have taken a number and have not ended. */
  writers: string[];
  written: string;
  flushed: string;
}

/** What a prepared transaction is called: its own name is another one than before, so any may be the one meant. */
const prepared = 'prepared';

async function getPosition(db: Db): Promise<Position> {
  // The log's end is read after the locks: what has let its lock go meanwhile is written before it.
  const { rows } = await sql<Position>`
    select writers, (pg_current_wal_insert_lsn() - '0/0')::text as written,
      (pg_current_wal_flush_lsn() - '0/0')::text as flushed
    from (
      select coalesce(array_agg(case when pid is null then ${prepared} else virtualtransaction end), '{}') as writers
      from pg_locks
      where locktype = 'relation' and relation = 'job_events'::regclass and mode = 'RowExclusiveLock' and granted
        and database = (select oid from pg_database where datname = current_database())
    ) as locks`.execute(db);
  const [position] = rows;
  if (position === undefined) throw new Error('Postgres did not tell where it is');
  return position;
}

function settle(horizon: Horizon, { writers, written, flushed }: Position): void {
  const now = new Set(writers);
  for (const one of horizon.waiting) {
    const isWritten = !now.has(prepared) && !one.writers.some((writer) => now.has(writer));
    if (isWritten) one.logPosition ??= BigInt(written);
    if (one.logPosition !== null && BigInt(flushed) >= one.logPosition) {
      horizon.seq = Math.max(horizon.seq ?? 0, one.seq);
    }
  }
  horizon.waiting = horizon.waiting.filter((one) => one.seq > (horizon.seq ?? -1));
}

/**
 * The greatest number below which nothing can turn up any more: what comes from now on is after it. A transaction that
 * has written events and stays open holds it back.
 * @param upToNow nothing older will do than what was the last number when this was called.
 * @throws AppError `unavailable` where none is known in `waitMs`, or none that will do.
 */
export async function getEventHorizon(
  db: Db,
  { waitMs = 1_000, upToNow = false }: { waitMs?: number; upToNow?: boolean } = {},
): Promise<number> {
  const horizon = horizons.get(db) ?? { seq: null, waiting: [] };
  horizons.set(db, horizon);
  const start = performance.now();
  const seq = await getLastTakenSeq(db);
  for (let isFirst = true; horizon.seq === null || horizon.seq < seq; isFirst = false) {
    if (performance.now() - start > waitMs) {
      if (horizon.seq !== null && !upToNow) break;
      throw new AppError(
        'unavailable',
        'The events of jobs cannot be read right now. Try again in a moment.',
      );
    }
    if (!isFirst) await sleep(pollEveryMs);
    const position = await getPosition(db);
    // One that is after it will do, and whoever finds the list full polls again.
    if (horizon.waiting.length < waitingAtMost && !horizon.waiting.some((one) => one.seq >= seq)) {
      horizon.waiting.push({ seq, writers: position.writers, logPosition: null });
    }
    settle(horizon, position);
  }
  return horizon.seq;
}

/** Numbers that are known to be settled (see `getEventHorizon`), and whose events are wanted. */
export interface EventRange {
  after: number;
  /** At most the horizon. */
  upTo: number;
  /** Only these users'. Default: everybody's. */
  userIds?: readonly string[];
  /** Only this job's. */
  jobId?: string | undefined;
  limit: number;
}

/** Events in the order of their numbers. */
export async function readSettledEvents(
  db: Db,
  { after, upTo, userIds, jobId, limit }: EventRange,
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
    .$if(jobId !== undefined, (query) => query.where('job_id', '=', jobId ?? ''))
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

const eventsAtOnce = 5_000;

/** Deletes events that are older than `ttlMs`. @returns how many, at most 5,000. */
export async function deleteOldEvents(db: Db, ttlMs: number): Promise<number> {
  const { rows } = await retryConflicts(db, () =>
    sql<{ count: number }>`
      with oldest as (
        select seq, at from job_events order by seq limit ${eventsAtOnce}
        for update skip locked
      ),
      deleted as (
        delete from job_events using oldest
        where job_events.seq = oldest.seq and oldest.at < now() - ${ttlMs} * interval '1 millisecond'
        returning 1
      )
      select count(*)::int as count from deleted`.execute(db),
  );
  return rows[0]?.count ?? 0;
}
