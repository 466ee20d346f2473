import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'pg';
import { flawsOfEvents } from '../support/job-events.ts';
import type { Ledger, Promised } from './load.ts';

export interface Verdict {
  promised: number;
  succeeded: number;
  /** Promised, but there is no such row, or its end is not what was asked for; and what it is. */
  lost: string[];
  /** Ended `worker_lost`: killed three times while it ran. */
  givenUp: number;
  /** Not ended in time. */
  stuck: string[];
  /** Results stored beside the one that is seen, or several jobs under one idempotency key. */
  doubled: number;
  /** Promised and ended, with events that are not a life in order, each once, the last one its end. */
  disordered: string[];
  /** From the promise to the end, in milliseconds. */
  worstDelayMs: number;
}

interface Row {
  id: string;
  status: string;
  error: { code: string } | null;
  delay: number;
  result: Buffer | null;
}

const endWithinMs = 60_000;

function isRight(promise: Promised, row: Row): boolean {
  if (row.status !== 'succeeded' || row.result === null) return false;
  const result = JSON.parse(row.result.toString()) as { tag?: string; last?: number };
  return promise.operation === 'noop' ? result.tag === promise.tag : result.last === 2 * (12 + 14 + 16 + 18);
}

function endOf(row: Row | undefined): string {
  if (row === undefined) return 'has no row';
  return row.status === 'succeeded'
    ? 'has another result'
    : `${row.status}, ${row.error?.code ?? 'no error'}`;
}

/** Waits until all that was promised has ended, and holds it against the rows. */
export async function judge(databaseUrl: string, { promised }: Ledger): Promise<Verdict> {
  const pool = new Pool({ connectionString: databaseUrl, max: 2 });
  pool.on('error', () => undefined);
  try {
    const ids = [...new Set(promised.map((promise) => promise.id))];
    const count = async (text: string): Promise<number> =>
      Number((await pool.query<{ count: string }>(text)).rows[0]?.count);
    const giveUpAt = Date.now() + endWithinMs;
    const live = "select count(*) from jobs where status in ('queued', 'running', 'waiting')";
    while (Date.now() < giveUpAt && (await count(live).catch(() => 1)) > 0) await sleep(250);

    const { rows } = await pool.query<Row>(
      `select jobs.id, status, error, extract(epoch from coalesce(finished_at, now()) - jobs.created_at)::float8 * 1000 as delay, bytes as result
       from jobs left join blobs on blobs.id = result_blob_id where jobs.id = any($1)`,
      [ids],
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    const stuck = rows
      .filter(({ status }) => ['queued', 'running', 'waiting'].includes(status))
      .map((row) => row.id);
    const givenUp = rows.filter((row) => row.error?.code === 'worker_lost');
    const excused = new Set([...stuck, ...givenUp.map((row) => row.id)]);
    const lost = promised.filter((promise) => {
      const row = byId.get(promise.id);
      return row === undefined || (!excused.has(row.id) && !isRight(promise, row));
    });
    const { rows: lives } = await pool.query<{ id: string; kinds: string[] }>(
      `select job_id as id, array_agg(kind order by seq) as kinds from job_events where job_id = any($1) group by job_id`,
      [ids],
    );
    const kindsOf = new Map(lives.map((row) => [row.id, row.kinds]));
    const disordered = rows
      .filter(({ id }) => !stuck.includes(id))
      .flatMap(({ id }) => flawsOfEvents(kindsOf.get(id) ?? []).map((flaw) => `${id}: ${flaw}`));
    const extraBlobs = await count(
      'select (select count(*) from blobs) - (select count(*) from jobs where result_blob_id is not null) as count',
    );
    const byKey = Map.groupBy(
      promised.filter((promise) => promise.idempotencyKey !== null),
      (promise) => promise.idempotencyKey,
    );
    const extraJobs = [...byKey.values()].filter(
      (group) => new Set(group.map((promise) => promise.id)).size > 1,
    ).length;
    return {
      promised: ids.length,
      succeeded: rows.filter((row) => row.status === 'succeeded').length,
      lost: lost.map(({ id, operation }) => `${id}: ${operation} ${endOf(byId.get(id))}`),
      givenUp: givenUp.length,
      stuck,
      disordered,
      doubled: extraBlobs + extraJobs,
      worstDelayMs: Math.max(0, ...rows.map((row) => row.delay)),
    };
  } finally {
    await pool.end();
  }
}
