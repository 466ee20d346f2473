import { sql } from 'kysely';
import type { QueueName } from '../operation.ts';
import type { Db } from '../db/client.ts';
import type { JobRow, JobRowStatus } from '../db/tables.ts';

export const liveStatuses = ['queued', 'running', 'waiting'] as const satisfies readonly JobRowStatus[];

/** What lists show of a job: what it was asked may be a megabyte each. */
const listedColumns = [
  'id',
  'user_id',
  'operation',
  'status',
  'progress',
  'pending_children',
  'total_children',
  'attempts',
  'warnings',
  'cache',
  'provenance',
  'error',
  'files',
  'request_id',
  'created_at',
  'started_at',
  'finished_at',
  'expires_at',
] as const satisfies readonly (keyof JobRow)[];

/** What clients may be shown of a job. */
export const shownColumns = [...listedColumns, 'input'] as const satisfies readonly (keyof JobRow)[];

export type ListedJobRow = Pick<JobRow, (typeof listedColumns)[number]>;
export type ShownJobRow = Pick<JobRow, (typeof shownColumns)[number]>;

export type JobWithResult = ShownJobRow & {
  /** The stored output as JSON text; null where there is none. */
  result: Buffer | null;
};

export function pickShown(row: ShownJobRow): ShownJobRow {
  return Object.fromEntries(shownColumns.map((name) => [name, row[name]])) as unknown as ShownJobRow;
}

/** A job as it is found together with others: the bytes of a large result would make them wait. */
export type FoundRow = JobWithResult & {
  /** To be read by itself; null where `result` is there, or there is none. */
  large_result_id: string | null;
  large_result_bytes: number;
};

const largeBytes = 262_144;

export async function findJobsWithResult(db: Db, ids: readonly string[]): Promise<Map<string, FoundRow>> {
  const isLarge = sql`blobs.size_bytes > ${sql.raw(String(largeBytes))}`;
  const { rows } = await sql<FoundRow>`-- prepared: find-jobs
    select ${sql.join(shownColumns.map((name) => sql.ref(`jobs.${name}`)))},
      case when not ${isLarge} then blobs.bytes end as result, case when ${isLarge} then blobs.id end as large_result_id,
      coalesce(blobs.size_bytes, 0) as large_result_bytes
    from jobs left join blobs on blobs.id = jobs.result_blob_id
    where jobs.id = any((select ${ids}::uuid[])::uuid[])`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}

/** As `findJobsWithResult`, but without the results that are larger than `mostBytes`; `input` only beside a result. */
export async function findJobsWithSmallResult(
  db: Db,
  ids: readonly string[],
  mostBytes: number,
): Promise<Map<string, JobWithResult>> {
  const { rows } = await sql<JobWithResult>`
    select ${sql.join(listedColumns.map((name) => sql.ref(`jobs.${name}`)))},
      case when blobs.id is not null then jobs.input end as input, blobs.bytes as result
    from jobs left join blobs on blobs.id = jobs.result_blob_id and blobs.size_bytes <= ${mostBytes}
    where jobs.id = any(${ids}::uuid[])`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Which of the jobs have ended, for those who wait. */
export async function findEndedIds(db: Db, ids: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('jobs')
    .select('id')
    .where('id', 'in', ids)
    .where('status', 'not in', liveStatuses)
    .execute();
  return rows.map((row) => row.id);
}

export interface JobListing {
  userId: string;
  /** As clients name them. */
  status?: 'queued' | 'running' | 'succeeded' | 'failed' | 'canceled' | 'expired' | undefined;
  operation?: string | undefined;
  limit: number;
  /** Id of the last job of the page before. */
  before?: string | undefined;
}

/** Of a user's jobs one query goes no further back: few may be like those that are asked for. */
const mostScanned = 20_000;

export interface JobPage {
  jobs: ListedJobRow[];
  /** The last job that was scanned; null where none is left. */
  next: string | null;
}

/** Newest first; a user's own requests only, not the children that they were split into. */
export async function listJobs(db: Db, listing: JobListing): Promise<JobPage> {
  const { userId, status, operation, limit, before } = listing;
  const own = db
    .selectFrom('jobs')
    .select(listedColumns)
    .where('user_id', '=', userId)
    .where('parent_id', 'is', null)
    .$if(before !== undefined, (query) => query.where('id', '<', before ?? ''))
    .orderBy('id', 'desc');
  const rows = await db
    .selectFrom(own.limit(mostScanned).as('recent'))
    .selectAll()
    .$if(status === 'running', (query) => query.where('status', 'in', ['running', 'waiting']))
    .$if(status === 'expired', (query) =>
      query.where((eb) => eb.or([eb('status', '=', 'expired'), eb('expires_at', '<=', sql<Date>`now()`)])),
    )
    .$if(status !== undefined && status !== 'running' && status !== 'expired', (query) =>
      query
        .where('status', '=', status as JobRowStatus)
        .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', sql<Date>`now()`)])),
    )
    .$if(operation !== undefined, (query) => query.where('operation', '=', operation ?? ''))
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute();
  if (rows.length > limit) return { jobs: rows.slice(0, limit), next: rows[limit - 1]?.id ?? null };
  if (status === undefined && operation === undefined) return { jobs: rows, next: null };
  const last = await own
    .offset(mostScanned - 1)
    .limit(1)
    .executeTakeFirst();
  return { jobs: rows, next: last?.id ?? null };
}

/** Of a user's own requests. */
export async function findLiveJobIds(db: Db, userId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('jobs')
    .select('id')
    .where('user_id', '=', userId)
    .where('status', 'in', liveStatuses)
    .where('parent_id', 'is', null)
    .orderBy('id')
    .execute();
  return rows.map((row) => row.id);
}

export async function countLiveJobs(db: Db, userId: string): Promise<{ queued: number; running: number }> {
  const { queued, running } = await db
    .selectFrom('jobs')
    .select((eb) => [
      eb.fn.countAll<number>().filterWhere('status', '=', 'queued').as('queued'),
      eb.fn.countAll<number>().filterWhere('status', '<>', 'queued').as('running'),
    ])
    .where('user_id', '=', userId)
    .where('status', 'in', liveStatuses)
    .where('parent_id', 'is', null)
    .executeTakeFirstOrThrow();
  return { queued, running };
}

export interface QueueCounts {
  waiting: number;
  active: number;
  /** How long the oldest queued job has waited. */
  oldestSeconds: number;
}

export async function countQueuedByQueue(db: Db): Promise<Map<string, QueueCounts>> {
  const rows = await db
    .selectFrom('jobs')
    .select((eb) => [
      'queue',
      eb.fn.countAll<number>().filterWhere('status', '=', 'queued').as('waiting'),
      eb.fn.countAll<number>().filterWhere('status', '=', 'running').as('active'),
      sql<number>`coalesce(greatest(0, extract(epoch from now() - min(run_at) filter (where status = 'queued'))), 0)::float8`.as(
        'oldestSeconds',
      ),
    ])
    .where('status', 'in', ['queued', 'running'])
    .groupBy('queue')
    .execute();
  return new Map(rows.map(({ queue, ...counts }) => [queue, counts]));
}

/**
 * Of a queue for `bound` dispatched rows; it counts up to that only. A user has no more of these than the plan's
 * `maxConcurrentJobs`: what is in a user's backlog is in nobody else's way.
 */
export async function countFreeSlots(db: Db, queue: QueueName, bound: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select from jobs
      -- Said so that the index of dispatched rows has it: that of all queued ones has every backlog.
      where dispatched_at is not null and status in ('queued', 'running') and status <> 'running' and queue = ${queue}
      limit ${bound}
    ) as dispatched`.execute(db);
  return bound - (rows[0]?.count ?? 0);
}

const rateWindowSeconds = 30;

/**
 * Jobs that have ended in the last 30 s, per second since the first of them. `ttlMs` is how long their results are
 * kept: it finds them by the index on their expiry.
 */
export async function getCompletionRate(
  db: Db,
  ttlMs: number,
  of: { queue: QueueName } | { userId: string },
): Promise<number> {
  const { count, seconds } = await db
    .selectFrom('jobs')
    .select((eb) => [
      eb.fn.countAll<number>().as('count'),
      // A queue that was idle before shows its rate at once.
      sql<number>`greatest(1, extract(epoch from now() - min(finished_at)))::float8`.as('seconds'),
    ])
    .where(
      'expires_at',
      '>',
      sql<Date>`now() + ${ttlMs - rateWindowSeconds * 1_000} * interval '1 millisecond'`,
    )
    // The index is of these.
    .where('status', 'in', ['succeeded', 'failed', 'canceled'])
    .where((eb) =>
      'queue' in of
        ? eb('queue', '=', of.queue)
        : // The children of a job take none of its user's slots.
          eb.and([eb('user_id', '=', of.userId), eb('parent_id', 'is', null)]),
    )
    .executeTakeFirstOrThrow();
  return count / seconds;
}
