import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { type Blob, createBlob } from '../shared/blobs/blob.ts';
import type { Catalog } from '../shared/catalog.ts';
import { group } from '../shared/coalesce.ts';
import { type Db, isDatabaseAway } from '../shared/db/client.ts';
import {
  claimJobs,
  endJob,
  endJobs,
  isPlainEnd,
  type JobEnding,
  type JobEnd,
  type Lease,
  parkJob,
  requeueJob,
  saveProgress,
} from '../shared/db/job-leases.ts';
import { type Ringable, takeTurns } from '../shared/db/job-turns.ts';
import type { JobRow } from '../shared/db/tables.ts';
import { AppError, type ErrorCode, toStoredError } from '../shared/errors.ts';
import type { Doorbell, Ring } from '../shared/queue/doorbell.ts';
import { announceEnded, listenForCancellations } from '../shared/queue/endings.ts';
import type { CacheUse, Warning } from '../shared/schemas/job.ts';
import { createComposition, LeaseLost, Suspension } from './composition.ts';
import type { JobContext } from './handler.ts';
import { createHandlerLoader } from './handler-files.ts';
import { createLeaseKeeper } from './lease-keeper.ts';
import { createSoloGate } from './solo-gate.ts';
import type { WorkerTools } from './tools.ts';

/** Codes that a second run may not meet again, with the runs that are given. */
const transientRetries: Partial<Record<ErrorCode, number>> = { page_crashed: 1 };
const unknownErrorRetries = 2;
const backoffMs = (retries: number) => 500 * 2 ** retries;
/** How long a finished result waits for a database that is away before it is given up to another run. */
const storeWithinMs = 60_000;
const smallResultBytes = 32 * 1024;

export interface ProcessorOptions {
  db: Db;
  redis: Redis;
  doorbell: Doorbell;
  /** A connection of its own, for announcements. */
  subscriber: Redis;
  catalog: Catalog;
  tools: WorkerTools;
  log: Logger;
  leaseMs: number;
  resultTtlMs: number;
}

export interface Processor extends AsyncDisposable {
  /** Runs the row if it is there to run. Throws only where the database cannot be asked. */
  process(ring: Ring): Promise<void>;
  /** Stops what still runs; another worker starts it again at once. */
  handBack(): void;
}

/** The worker stops: the row goes back as it was. */
class HandedBack extends Error {}

/** Ends that share a statement with others: bytes would make it wait, and travel as text. */
function isSmall(ending: JobEnding): boolean {
  const { outcome } = ending.end;
  return (
    isPlainEnd(ending) &&
    outcome.ok &&
    outcome.image === null &&
    outcome.result.bytes.length < smallResultBytes
  );
}

function timedOut(row: JobRow): AppError {
  return new AppError(
    'job_timeout',
    `The job did not end within its ${row.timeout_ms} ms. Ask for less at once, or raise \`timeout\`.`,
  );
}

/** The life of one job: claim, parse, run under a deadline, store, announce. */
export function createProcessor(options: ProcessorOptions): Processor {
  const { db, redis, doorbell, subscriber, catalog, tools, log, leaseMs, resultTtlMs } = options;
  const keeper = createLeaseKeeper(db, log, leaseMs);
  // Quicker than the next renewal.
  listenForCancellations(subscriber, (id) => keeper.lose(id));
  const loadHandler = createHandlerLoader(catalog);
  const running = new Set<AbortController>();
  const gate = createSoloGate();
  const claim = group((ids: readonly string[]) => claimJobs(db, ids, leaseMs));
  const endSmall = group((endings: readonly JobEnding[]) => endJobs(db, endings));

  async function ring(rows: readonly Ringable[]): Promise<void> {
    await doorbell.ring(rows).catch((error: unknown) => log.warn({ err: error }, 'a ring was lost'));
  }

  /** The user has a turn to give: the next of their rows are rung. */
  async function ringNext({ user_id: userId }: JobRow): Promise<void> {
    await takeTurns(db, userId)
      .then((rows) => doorbell.ring(rows))
      .catch((error: unknown) => log.warn({ err: error }, 'a ring was lost'));
  }

  async function run(row: JobRow, lease: Lease, signal: AbortSignal): Promise<JobEnd> {
    const warnings: Warning[] = [];
    let image: Blob | null = null;
    let cache: CacheUse | null = null;
    const job: JobContext = {
      ...createComposition(db, row, lease),
      jobId: row.id,
      signal,
      deadlineAt: row.deadline_at?.getTime() ?? Infinity,
      progress: (done, total, note) => saveProgress(db, lease, { done, total, note: note ?? null }),
      tellCache: (use) => void (cache = use),
      warn: (code, message) => void warnings.push({ code, message }),
      keepImage(contentType, bytes) {
        image = createBlob(contentType, bytes);
        return image.id;
      },
    };
    const operation = catalog.findQueued(row.operation);
    if (operation === undefined)
      throw new AppError('internal_error', `This version does not know ${row.operation}.`);
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    aborted.catch(() => undefined);
    const input = operation.input.parse(row.input);
    const handler = await loadHandler(operation);
    const output = operation.output.parse(await Promise.race([handler.run(input, job, tools), aborted]));
    const result = createBlob('application/json', Buffer.from(JSON.stringify(output)));
    return { outcome: { ok: true, result, image }, warnings, cache, ttlMs: resultTtlMs };
  }

  async function storeEnd(row: JobRow, lease: Lease, end: JobEnd): Promise<void> {
    const ending: JobEnding = { job: { ...lease, parentId: row.parent_id }, end };
    const giveUpAt = Date.now() + storeWithinMs;
    for (;;) {
      try {
        const ended = await (isSmall(ending) ? endSmall(ending) : endJob(db, ending));
        if (ended === null) return;
        await Promise.all([
          announceEnded(redis, [row.id]).catch((error: unknown) =>
            log.warn({ err: error }, 'an end was not announced'),
          ),
          ring(ended.toRing),
        ]);
        return;
      } catch (error) {
        if (!isDatabaseAway(error) || Date.now() > giveUpAt) throw error;
        await sleep(250);
      }
    }
  }

  async function requeue(lease: Lease, again: { delayMs: number; countRetry: boolean }): Promise<void> {
    const row = await requeueJob(db, lease, again);
    if (row !== undefined) await ring([row]);
  }

  async function fail(row: JobRow, lease: Lease, error: unknown): Promise<void> {
    if (error instanceof AppError) {
      if (row.retries < (transientRetries[error.code] ?? 0))
        return await requeue(lease, { delayMs: backoffMs(row.retries), countRetry: true });
      return await storeEnd(row, lease, {
        outcome: { ok: false, error: toStoredError(error) },
        warnings: [],
        ttlMs: resultTtlMs,
      });
    }
    log.error({ err: error, jobId: row.id, operation: row.operation }, 'a job failed unexpectedly');
    if (row.retries < unknownErrorRetries)
      return await requeue(lease, { delayMs: backoffMs(row.retries), countRetry: true });
    await storeEnd(row, lease, {
      outcome: {
        ok: false,
        error: {
          code: 'internal_error',
          detail:
            'Something went wrong on our side, also when it was tried again. Give the operator the job id.',
        },
      },
      warnings: [],
      ttlMs: resultTtlMs,
    });
  }

  async function settle(row: JobRow, lease: Lease, thrown: unknown): Promise<void> {
    if (thrown instanceof LeaseLost) return;
    if (thrown instanceof HandedBack) return await requeue(lease, { delayMs: 0, countRetry: false });
    if (thrown instanceof Suspension) {
      const toRing = await parkJob(db, lease, thrown.children);
      if (toRing !== null) await Promise.all([ring(toRing), ringNext(row)]);
      return;
    }
    await fail(row, lease, thrown);
  }

  async function runClaimed(row: JobRow, lease: Lease): Promise<void> {
    const abort = new AbortController();
    const start = performance.now();
    running.add(abort);
    keeper.hold(lease, (reason) => abort.abort(reason));
    const leftMs = Math.max(0, (row.deadline_at?.getTime() ?? 0) - Date.now());
    const deadline = setTimeout(() => abort.abort(timedOut(row)), leftMs);
    try {
      await run(row, lease, abort.signal).then(
        (end) => storeEnd(row, lease, end),
        (thrown: unknown) => settle(row, lease, abort.signal.aborted ? abort.signal.reason : thrown),
      );
    } finally {
      clearTimeout(deadline);
      running.delete(abort);
      keeper.release(lease);
      // Whatever the handler left running ends with the job.
      abort.abort(new LeaseLost());
      const ms = Math.round(performance.now() - start);
      log.info({ jobId: row.id, operation: row.operation, attempt: row.attempts, ms }, 'job run');
    }
  }

  return {
    async process({ id, alone }) {
      const leave = await gate.enter(alone);
      try {
        const row = await claim(id);
        if (row === undefined) return;
        const lease: Lease = { id, token: row.lease_token };
        // The ring is older than the crash.
        if (row.crashes > 0 && !alone) await requeue(lease, { delayMs: 0, countRetry: false });
        else await runClaimed(row, lease);
      } finally {
        leave();
      }
    },
    handBack() {
      for (const abort of running) abort.abort(new HandedBack());
    },
    [Symbol.asyncDispose]: () => keeper[Symbol.asyncDispose](),
  };
}
