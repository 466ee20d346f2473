import type { Logger } from 'pino';
import type { OperationFinder } from '../../shared/catalog.ts';
import { batchWrite } from '../../shared/batch-write.ts';
import type { Db } from '../../shared/db/client.ts';
import {
  type EndedJob,
  endJob,
  endJobs,
  isPlainEnd,
  type JobEnd,
  type JobEnding,
} from '../../shared/jobs/transitions/end.ts';
import { changeOf } from '../../shared/jobs/transitions/write-events.ts';
import { parkJob } from '../../shared/jobs/transitions/park.ts';
import { type JobWithResult, pickShown } from '../../shared/jobs/find-jobs.ts';
import {
  type ClaimedRow,
  type Lease,
  requeueJob,
  dispatchAgain,
} from '../../shared/jobs/transitions/lease.ts';
import { type Dispatchable, takeBacklog } from '../../shared/jobs/backlog.ts';
import { keptForMs } from '../../shared/jobs/kept-for.ts';
import { asDeclared } from '../../shared/declared-errors.ts';
import { AppError, toStoredError } from '../../shared/errors.ts';
import type { Dispatcher } from '../../shared/jobs/dispatcher.ts';
import type { Announcer } from '../../shared/jobs/announcer.ts';
import type { Warning } from '../../shared/schemas/job.ts';
import { LeaseLost, Suspension } from './composition.ts';
import type { RetryWhileDatabaseAway } from './retry-while-database-away.ts';

const unknownErrorRetries = 2;
const backoffMs = (retries: number) => 500 * 2 ** retries;
const smallResultBytes = 32 * 1024;

const unexpected = new AppError(
  'internal_error',
  'Something went wrong on our side, also when it was tried again. Give the operator the job id.',
);

/** The worker stops: the row goes back as it was. */
export class HandedBack extends Error {}

/** What a run comes to, brought into its row, and told. */
export interface Outcomes {
  store(row: ClaimedRow, lease: Lease, end: JobEnd): Promise<void>;
  /** What a handler threw: a failure (with what it warned of before), a park, a job that is no longer ours. */
  settle(row: ClaimedRow, lease: Lease, thrown: unknown, warnings: readonly Warning[]): Promise<void>;
  /** Dispatches a row again that was not taken. */
  passOn(id: string, delayMs: number): Promise<void>;
  /** Gives a row back whose process has died, maybe before it took it: nothing is held against it. */
  giveBack(lease: Lease): Promise<void>;
}

export interface OutcomeOptions {
  catalog: OperationFinder;
  db: Db;
  announcer: Announcer;
  dispatcher: Pick<Dispatcher, 'dispatch'>;
  log: Logger;
  retryWhileDatabaseAway: RetryWhileDatabaseAway;
  resultTtlMs: number;
  checkErrors: boolean;
}

const shownOfAnswer = 500;

/**
 * What a service that was asked has said of its failure, for the operator alone; what it was asked is nobody's here, nor
 * what it answered to that.
 */
export function findAnswer(error: Error): { status: number; answer: string } | null {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const { statusCode: status, responseBody: body } = cause as {
      statusCode?: unknown;
      responseBody?: unknown;
    };
    if (typeof body === 'string' && typeof status === 'number' && status >= 400)
      return { status, answer: body.slice(0, shownOfAnswer) };
  }
  return null;
}

/** Ends that share a statement with others: bytes would make it wait, and travel as text. */
function isSmall(ending: JobEnding): boolean {
  const { outcome } = ending.end;
  if (!isPlainEnd(ending) || !outcome.ok) return false;
  return outcome.result.bytes.length < smallResultBytes;
}

/** What an end has made of the columns that clients are shown. */
function shownEnd(
  { outcome, warnings, cache = null, provenance = null }: JobEnd,
  { finishedAt, expiresAt }: EndedJob,
) {
  return {
    status: outcome.ok ? 'succeeded' : 'failed',
    warnings: [...warnings],
    cache,
    provenance,
    error: outcome.ok ? null : outcome.error,
    files: outcome.ok ? [...outcome.files] : null,
    result: outcome.ok ? outcome.result.bytes : null,
    finished_at: finishedAt,
    expires_at: expiresAt,
  } satisfies Partial<JobWithResult>;
}

export function createOutcomes(options: OutcomeOptions): Outcomes {
  const { catalog, db, announcer, dispatcher, log, retryWhileDatabaseAway } = options;
  const { resultTtlMs, checkErrors } = options;
  const endSmall = batchWrite((endings: readonly JobEnding[]) => endJobs(db, endings));

  async function dispatch(rows: readonly Dispatchable[] | Promise<readonly Dispatchable[]>): Promise<void> {
    try {
      await dispatcher.dispatch(await rows);
    } catch (error) {
      log.warn({ err: error }, 'a dispatch was lost');
    }
  }

  /** Of a user who has free slots. */
  const dispatchBacklogOf = batchWrite(async (userIds: readonly string[]) => {
    await dispatch(takeBacklog(db, userIds));
    return userIds.map(() => undefined);
  });

  async function storeEnd(row: ClaimedRow, lease: Lease, end: JobEnd): Promise<void> {
    const ending: JobEnding = { job: { ...lease, parentId: row.parent_id }, end };
    const ended = await retryWhileDatabaseAway(() =>
      isSmall(ending) ? endSmall(ending) : endJob(db, ending),
    );
    if (ended === null) return;
    announcer.endedAs({ ...pickShown(row), ...shownEnd(end, ended) });
    if (row.parent_id !== null) announcer.changed([{ id: row.parent_id, userId: row.user_id }]);
    await Promise.all([
      ended.parent && dispatch([ended.parent]),
      ended.hasBacklog && dispatchBacklogOf(row.user_id),
    ]);
  }

  async function requeue(
    row: ClaimedRow,
    lease: Lease,
    again: { delayMs: number; countRetry: boolean },
  ): Promise<void> {
    const requeued = await retryWhileDatabaseAway(() => requeueJob(db, lease, again));
    if (requeued === undefined) return;
    announcer.changed([changeOf(row)]);
    await dispatch([{ ...requeued, delayMs: again.delayMs }]);
  }

  /** Undefined too where it cannot be loaded: the failure that is told is that of the job. */
  async function findOperation(id: string) {
    try {
      return await catalog.findQueued(id);
    } catch {
      return undefined;
    }
  }

  async function fail(
    row: ClaimedRow,
    lease: Lease,
    failure: unknown,
    warnings: readonly Warning[],
  ): Promise<void> {
    const operation = await findOperation(row.operation);
    const thrown = checkErrors && operation ? asDeclared(operation, failure) : failure;
    const error = thrown instanceof AppError ? thrown : unexpected;
    const isFinal = thrown instanceof AppError && thrown.isFinal;
    const retries = thrown instanceof AppError ? (operation?.retries[thrown.code] ?? 0) : unknownErrorRetries;
    if (error === unexpected || thrown !== failure) {
      log.error({ err: thrown, jobId: row.id, operation: row.operation }, 'a job failed unexpectedly');
    }
    const answer = thrown instanceof AppError ? findAnswer(thrown) : null;
    if (answer !== null && error.status >= 500) {
      log.warn({ ...answer, code: error.code, jobId: row.id }, 'a service answered with a failure');
    }
    if (!isFinal && row.retries < retries) {
      await requeue(row, lease, { delayMs: backoffMs(row.retries), countRetry: true });
      return;
    }
    const outcome = { ok: false, error: toStoredError(error) } as const;
    await storeEnd(row, lease, { outcome, warnings, ttlMs: keptForMs(row, resultTtlMs) });
  }

  async function settleThrown(
    row: ClaimedRow,
    lease: Lease,
    thrown: unknown,
    warnings: readonly Warning[],
  ): Promise<void> {
    if (thrown instanceof LeaseLost) return;
    if (thrown instanceof HandedBack) {
      await requeue(row, lease, { delayMs: 0, countRetry: false });
    } else if (thrown instanceof Suspension) {
      const resumed = await retryWhileDatabaseAway(() => parkJob(db, lease, thrown.children));
      if (resumed === null) return;
      announcer.changed([changeOf(row)]);
      await Promise.all([dispatch(resumed), dispatchBacklogOf(row.user_id)]);
    } else {
      await fail(row, lease, thrown, warnings);
    }
  }

  /** Postgres refuses to store what the run has come to: nobody would end the job until it counts as lost. */
  async function orFail(storing: Promise<void>, row: ClaimedRow, lease: Lease): Promise<void> {
    await storing.catch((refused: unknown) => fail(row, lease, refused, []));
  }

  async function passOn(id: string, delayMs: number): Promise<void> {
    await dispatch(dispatchAgain(db, [id]).then((rows) => rows.map((row) => ({ ...row, delayMs }))));
  }

  return {
    store: (row, lease, end) => orFail(storeEnd(row, lease, end), row, lease),
    passOn,
    async giveBack(lease) {
      const row = await retryWhileDatabaseAway(() =>
        requeueJob(db, lease, { delayMs: 0, countRetry: false }),
      );
      if (row === undefined) await passOn(lease.id, 0);
      else await dispatch([row]);
    },
    settle: (row, lease, thrown, warnings) => orFail(settleThrown(row, lease, thrown, warnings), row, lease),
  };
}
