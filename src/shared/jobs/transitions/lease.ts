import { sql } from 'kysely';
import { createId } from '../../ids.ts';
import { type Db, retryConflicts } from '../../db/client.ts';
import { type Dispatchable, dispatchColumns, statusIs } from '../backlog.ts';
import { shownColumns } from '../find-jobs.ts';
import { prepare } from '../../db/prepared.ts';
import type { JobProgress, JobRow } from '../../db/tables.ts';
import { writeEvents } from './write-events.ts';

/** A worker's right to run a row: everything it writes is written only while the token is still the row's. */
export interface Lease {
  id: string;
  token: string;
}

/** Statements on many rows take them in the order of their ids, or two of them could wait for each other. */
export function inLockOrder<Item>(items: readonly Item[], idOf: (item: Item) => string): Item[] {
  return items.toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
}

export const inMs = (ms: number) => sql<Date>`now() + ${ms} * interval '1 millisecond'`;

/** What a run needs to know, and what its end shows. */
const claimedColumns = [
  ...shownColumns,
  'secrets',
  'parent_id',
  'root_id',
  'timeout_ms',
  'deadline_at',
  'retries',
  'steps',
  'lease_token',
  'trace_parent',
] as const satisfies readonly (keyof JobRow)[];

export type ClaimedRow = Pick<JobRow, (typeof claimedColumns)[number]> & {
  lease_token: string;
  /** Until its deadline, by the clock of Postgres: that of a worker may be another. */
  left_ms: number;
};

export interface Claim {
  id: string;
  /** The row is to run apart from its worker, which is how one that two workers died of must. */
  isolated: boolean;
  /** Of the lease, where somebody else must know it too. Default: a new one. */
  token?: string;
}

/**
 * A row that this many workers died of is isolated: run apart from its worker. One is no evidence,
 * and to run each of all that a worker ran when it was killed apart would take long.
 */
export const isolateAfterCrashes = 2;

/** @returns a key that jobs of one user and operation share; undefined where the row is not there to run. */
export async function findIsolationGroup(db: Db, id: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('jobs')
    .select(['user_id', 'operation'])
    .where('id', '=', id)
    .where('status', '=', 'queued')
    .executeTakeFirst();
  return row && `${row.user_id} ${row.operation}`;
}

interface NewLease extends Required<Claim>, Lease {
  leaseMs: number;
}

const claimRows = prepare<ClaimedRow, NewLease>(
  'claim-jobs',
  ({ rows }) => sql<ClaimedRow>`
    with claimed as (
    update jobs set
      status = 'running',
      lease_token = claim.token,
      lease_expires_at = now() + claim.lease_ms * interval '1 millisecond',
      -- A resumed parent keeps its deadline: that is no new attempt.
      attempts = attempts + case when deadline_at is null then 1 else 0 end,
      started_at = coalesce(started_at, now()),
      deadline_at = coalesce(deadline_at, now() + timeout_ms * interval '1 millisecond')
    from ${rows('claim', {
      id: ['uuid', ({ id }) => id],
      token: ['uuid', ({ token }) => token],
      isolated: ['boolean', ({ isolated }) => isolated],
      lease_ms: ['int', ({ leaseMs }) => leaseMs],
    })}
    where jobs.id = claim.id and ${statusIs('queued')} and (crashes < ${sql.raw(String(isolateAfterCrashes))} or claim.isolated)
      and run_at <= now() + interval '50 milliseconds'
      -- A claim that a crash of Postgres forgets is made again: its commit need not wait for the disk.
      and (select set_config('synchronous_commit', 'off', true)) = 'off'
    returning ${sql.join(claimedColumns.map((name) => sql.ref(`jobs.${name}`)))},
      (extract(epoch from deadline_at - clock_timestamp()) * 1000)::float8 as left_ms
    ),
    -- Set by this statement, the start is now.
    events as ${writeEvents('claimed', sql`case when started_at = now() then 'started' else 'resumed' end`)}
    select * from claimed`,
);

/**
 * @returns undefined for a row that is not there to run: another worker has it, it has ended, it must wait, or it
 * must run in a process of its own and is not claimed so (the dispatch is older than the crash, which has its own).
 */
export async function claimJobs(
  db: Db,
  claims: readonly Claim[],
  leaseMs: number,
): Promise<(ClaimedRow | undefined)[]> {
  const asked = claims.map((claim) => ({ token: createId(), ...claim, leaseMs }));
  const rows = await claimRows(
    db,
    inLockOrder(asked, ({ id }) => id),
  );
  // By the token: two dispatches may claim one row at the same time, and only one of them has it.
  const byToken = new Map(rows.map((row) => [row.lease_token, row]));
  return asked.map(({ token }) => byToken.get(token));
}

/** Renews all leases of a process in one statement. @returns the ids whose lease is still its own. */
export async function renewLeases(db: Db, leases: readonly Lease[], leaseMs: number): Promise<Set<string>> {
  if (leases.length === 0) return new Set();
  const renewal = db
    .with('own', (ctes) =>
      ctes
        .selectFrom('jobs')
        .select('id')
        .where(
          'id',
          'in',
          leases.map((lease) => lease.id),
        )
        .where(
          'lease_token',
          'in',
          leases.map((lease) => lease.token),
        )
        .where('status', '=', 'running')
        .orderBy('id')
        .forUpdate(),
    )
    .updateTable('jobs')
    .from('own')
    .set({ lease_expires_at: inMs(leaseMs) })
    .whereRef('jobs.id', '=', 'own.id')
    .returning('jobs.id');
  const rows = await retryConflicts(db, () => renewal.execute());
  return new Set(rows.map((row) => row.id));
}

const holderLength = 8;

/**
 * A new token of a lease that names its holder.
 * @param holder a UUID; its last digits are told. Null where nobody needs to know its leases again.
 */
export function createLeaseToken(holder: string | null): string {
  const token = createId();
  return holder === null ? token : holder.slice(-holderLength) + token.slice(holderLength);
}

/** Of a running row. */
export const isHeldBy = (holder: string) =>
  sql<boolean>`left(lease_token::text, ${holderLength}) = ${holder.slice(-holderLength)}`;

/** As `endLease`, of all leases whose tokens name the holder. */
export async function endLeasesOf(db: Db, holder: string): Promise<void> {
  await retryConflicts(db, () =>
    sql`
      with held as materialized (
        select id from jobs
        where status = 'running' and lease_expires_at > now() and ${isHeldBy(holder)}
        order by id for update
      )
      update jobs set lease_expires_at = now() from held where jobs.id = held.id`.execute(db),
  );
}

/** Ends a lease whose holder has died, so that nobody waits until it has run out. */
export async function endLease(db: Db, { id, token }: Lease): Promise<void> {
  await db
    .updateTable('jobs')
    .set({ lease_expires_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('lease_token', '=', token)
    .where('status', '=', 'running')
    .execute();
}

/** @returns false when the lease was lost. */
export async function saveProgress(db: Db, lease: Lease, progress: JobProgress): Promise<boolean> {
  const change = sql`
    with changed as (
      update jobs set progress = ${JSON.stringify(progress)}::json
      where id = ${lease.id} and lease_token = ${lease.token}
      returning id, user_id, parent_id
    ),
    events as ${writeEvents('changed', 'progress')}
    select from changed`;
  const { rows } = await retryConflicts(db, () => change.execute(db));
  return rows.length > 0;
}

/** @returns false when the lease was lost: the step's effect must not be built upon. */
export async function saveSteps(db: Db, lease: Lease, steps: Record<string, unknown>): Promise<boolean> {
  const change = db
    .updateTable('jobs')
    .set({ steps: JSON.stringify(steps) })
    .where('id', '=', lease.id)
    .where('lease_token', '=', lease.token)
    .returning('id');
  return (await retryConflicts(db, () => change.executeTakeFirst())) !== undefined;
}

/** Gives a row back, to run again after `delayMs`. @returns undefined when the lease was lost. */
export async function requeueJob(
  db: Db,
  lease: Lease,
  { delayMs, countRetry }: { delayMs: number; countRetry: boolean },
): Promise<Dispatchable | undefined> {
  const change = sql<Dispatchable>`
    with requeued as (
      update jobs set
        status = 'queued', generation = generation + 1, retries = retries + ${countRetry ? 1 : 0},
        run_at = ${inMs(delayMs)}, dispatched_at = now(), lease_token = null, lease_expires_at = null, deadline_at = null
      where id = ${lease.id} and lease_token = ${lease.token} and status = 'running'
      returning ${sql.join(dispatchColumns.map((name) => sql.ref(name)))}, user_id, parent_id
    ),
    events as ${writeEvents('requeued', 'parked')}
    select ${sql.join(dispatchColumns.map((name) => sql.ref(name)))} from requeued`;
  const { rows } = await retryConflicts(db, () => change.execute(db));
  return rows[0];
}

/** Queued rows under new dispatches: those that they have are being handled, and their ids are not free yet. */
export async function dispatchAgain(db: Db, ids: readonly string[]): Promise<Dispatchable[]> {
  if (ids.length === 0) return [];
  const change = sql<Dispatchable>`
    with taken as (
      select id from jobs where id = any(${ids}::uuid[]) and status = 'queued'
      order by id
      for update
    )
    update jobs set generation = generation + 1, dispatched_at = now()
    from taken where jobs.id = taken.id
    returning ${sql.join(dispatchColumns.map((name) => sql.ref(`jobs.${name}`)))}`;
  return (await retryConflicts(db, () => change.execute(db))).rows;
}
