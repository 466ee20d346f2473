import { sql } from 'kysely';
import type { StoredError } from '../../errors.ts';
import { type Db, inTransaction, retryConflicts } from '../../db/client.ts';
import { discardFiles } from '../../db/files.ts';
import type { JobRow } from '../../db/tables.ts';
import type { QueueName } from '../../operation.ts';
import { type Canceled, endTree } from './cancel.ts';
import { lockJob, releaseParent, timeInQueue } from './park.ts';
import { inMs, isHeldBy } from './lease.ts';
import { type Dispatchable, dispatchColumns } from '../backlog.ts';
import { keptForMs } from '../kept-for.ts';
import { writeDeliveries } from './write-deliveries.ts';
import { type JobChange, type JobEnded, writeEvents } from './write-events.ts';
import { recordFailure } from '../../db/key-usage.ts';

/** A row is given up when this many workers died while they ran it. */
const maxCrashes = 3;

const workerLost: StoredError = {
  code: 'worker_lost',
  detail: `The worker that ran this job died ${maxCrashes} times, so the job was given up. The target may be more than a worker can hold; try a smaller request.`,
};

const waitedTooLong: StoredError = {
  code: 'job_timeout',
  detail:
    'The parts of this job did not end within its time bound. Ask for less at once, or try again later.',
};

interface RecoverableRow {
  id: string;
  parentId: string | null;
}

/**
 * How long a job that ends now is kept. Its input is read here: an operator of Postgres's fails on what it cannot write
 * as text, and with it the whole statement.
 */
async function readKeptForMs(db: Db, { id, parentId }: RecoverableRow, ttlMs: number): Promise<number> {
  const row = await db.selectFrom('jobs').select('input').where('id', '=', id).executeTakeFirst();
  return keptForMs({ input: row?.input, parent_id: parentId }, ttlMs);
}

export interface Recovered {
  change: JobChange;
  toDispatch: Dispatchable[];
  /** Where it was given up. */
  ended: JobEnded | null;
}

type RecoveredRow = Dispatchable & { user_id: string; operation: string; status: JobRow['status'] };

/** @returns null where its worker has been heard of meanwhile. */
async function recoverRow(trx: Db, job: RecoverableRow, resultTtlMs: number): Promise<Recovered | null> {
  const { id, parentId } = job;
  const ttlMs = await readKeptForMs(trx, job, resultTtlMs);
  if (parentId !== null) await lockJob(trx, parentId);
  const givenUp = sql<boolean>`crashes + 1 >= ${maxCrashes}`;
  const { rows } = await sql<RecoveredRow>`
    with recovered as (
      update jobs set
        status = case when ${givenUp} then 'failed' else 'queued' end,
        error = case when ${givenUp} then ${JSON.stringify(workerLost)}::json end,
        finished_at = case when ${givenUp} then now() end,
        expires_at = case when ${givenUp} then ${inMs(ttlMs)} end,
        secrets = case when not ${givenUp} then secrets end,
        crashes = crashes + 1, generation = generation + 1, run_at = now(), dispatched_at = now(),
        lease_token = null, lease_expires_at = null, deadline_at = null
      where id = ${id} and status = 'running' and lease_expires_at < now()
      returning ${sql.join(dispatchColumns.map((name) => sql.ref(name)))}, user_id, parent_id, operation, status, webhook
    ),
    events as ${writeEvents('recovered', sql`case status when 'failed' then 'failed' else 'parked' end`)},
    deliveries as ${writeDeliveries('recovered')}
    select ${sql.join(dispatchColumns.map((name) => sql.ref(name)))}, user_id, operation, status from recovered`.execute(
    trx,
  );
  const [row] = rows;
  if (row === undefined) return null;
  const change = { id, userId: row.user_id };
  if (row.status === 'queued') return { change, toDispatch: [row], ended: null };
  await discardFiles(trx, [id]);
  await recordFailure(trx, id);
  const parent = parentId === null ? null : await releaseParent(trx, parentId, 1);
  const { operation, status } = row;
  const ended = { ...change, operation, status, code: workerLost.code };
  return { change, toDispatch: parent === null ? [] : [parent], ended };
}

export interface RecoveryOptions {
  leaseMs: number;
  ttlMs: number;
  /** False while leases may have run out because Postgres did not answer. */
  isSteady: () => boolean;
  /** Named in the tokens of the leases. Default: anybody's. */
  holder?: string;
}

/**
 * Rows whose worker stopped renewing: queued again, or failed where it keeps killing its workers. Leases that ran
 * out because Postgres was away are none of these: workers have `leaseMs` from its start to renew them.
 * @returns each as soon as it is committed, so that it is announced whatever becomes of the others.
 */
export async function* recoverLostLeases(
  db: Db,
  { leaseMs, ttlMs, isSteady, holder }: RecoveryOptions,
): AsyncGenerator<Recovered> {
  const lost = await db
    .selectFrom('jobs')
    .select(['id', 'parent_id as parentId'])
    .where('status', '=', 'running')
    .where('lease_expires_at', '<', sql<Date>`now()`)
    .where(sql<Date>`pg_postmaster_start_time()`, '<', inMs(-leaseMs))
    .$if(holder !== undefined, (query) => query.where(isHeldBy(holder ?? '')))
    .orderBy('id')
    .limit(500)
    .execute();
  for (const job of lost) {
    // Asked when the answer is there: it may be the first one after a long silence.
    if (!isSteady()) break;
    const done = await inTransaction(db, (trx) => recoverRow(trx, job, ttlMs));
    if (done !== null) yield done;
  }
}

/** Waiting parents whose time is over by more than the margin in which a child would end them itself. */
export async function findOverdueParents(db: Db): Promise<RecoverableRow[]> {
  return await db
    .selectFrom('jobs')
    .select(['id', 'parent_id as parentId'])
    .where('status', '=', 'waiting')
    .where('deadline_at', '<', sql<Date>`now() - interval '5 seconds'`)
    .where(
      sql<Date>`deadline_at + ${timeInQueue(sql`jobs.id`)}`,
      '<',
      sql<Date>`now() - interval '5 seconds'`,
    )
    .limit(100)
    .execute();
}

/** Fails a parent whose time is over, and cancels its children. */
export async function timeOutParent(db: Db, job: RecoverableRow, ttlMs: number): Promise<Canceled> {
  return await inTransaction(db, async (trx) => {
    const keptMs = await readKeptForMs(trx, job, ttlMs);
    const ended = await endTree(trx, job.id, keptMs, waitedTooLong);
    if (ended.canceled.length > 0) await recordFailure(trx, job.id);
    return ended;
  });
}

/**
 * Queued rows whose dispatch is older than `olderThanMs`, the oldest first, marked as dispatched again.
 * @param queues default: all
 */
export async function takeQuietRows(
  db: Db,
  olderThanMs: number,
  limit: number,
  queues?: readonly QueueName[],
): Promise<Dispatchable[]> {
  const change = db
    .updateTable('jobs')
    .set({ dispatched_at: sql<Date>`now()` })
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('jobs')
        .select('id')
        .where('status', '=', 'queued')
        .where('run_at', '<=', sql<Date>`now()`)
        .where('dispatched_at', '<', inMs(-olderThanMs))
        .$if(queues !== undefined, (query) => query.where('queue', 'in', queues ?? []))
        .orderBy('dispatched_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .returning(dispatchColumns);
  return await retryConflicts(db, () => change.execute());
}
