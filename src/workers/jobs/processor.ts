import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { Logger } from 'pino';
import type { OperationFinder } from '../../shared/catalog.ts';
import { batchWrite } from '../../shared/batch-write.ts';
import type { Db } from '../../shared/db/client.ts';
import type { JobEnd } from '../../shared/jobs/transitions/end.ts';
import {
  type Claim,
  claimJobs,
  createLeaseToken,
  type ClaimedRow,
  type Lease,
  saveProgress,
} from '../../shared/jobs/transitions/lease.ts';
import { keptForMs } from '../../shared/jobs/kept-for.ts';
import type { JobSecrets } from '../../shared/jobs/job-secrets.ts';
import { changeOf } from '../../shared/jobs/transitions/write-events.ts';
import { AppError } from '../../shared/errors.ts';
import type { Metrics } from '../../shared/metrics/metrics.ts';
import type { FileStores } from '../../shared/files/file-store.ts';
import type { Dispatcher } from '../../shared/jobs/dispatcher.ts';
import { type Announcer, listenForCancellations } from '../../shared/jobs/announcer.ts';
import type { CacheUse, Provenance, Warning } from '../../shared/schemas/job.ts';
import type { Tracing } from '../../shared/tracing/tracing.ts';
import { createComposition, LeaseLost, Suspension } from './composition.ts';
import type { JobContext } from '../handler.ts';
import { createHandlerLoader } from '../handler-files.ts';
import { createJobFiles } from './job-files.ts';
import { createLeaseKeeper } from './lease-keeper.ts';
import { createOutcomes, HandedBack, type Outcomes } from './outcomes.ts';
import { createDatabaseRetry } from './retry-while-database-away.ts';
import type { Toolbox } from '../tools.ts';
import { writeResult } from './write-result.ts';

export interface ProcessorOptions {
  db: Db;
  leaseDb: Db;
  redis: Redis;
  dispatcher: Pick<Dispatcher, 'dispatch'>;
  announcer: Announcer;
  /** A connection of its own, for announcements. */
  subscriber: Redis;
  catalog: OperationFinder;
  files: FileStores;
  toolbox: Toolbox;
  tracing: Tracing;
  jobSecrets: JobSecrets;
  log: Logger;
  metrics: Metrics;
  leaseMs: number;
  /** Named in the tokens of its leases. */
  workerId: string | null;
  resultTtlMs: number;
  checkErrors: boolean;
  /** Told of the lease of a row when its handler begins. */
  onBegin?: (lease: Lease) => void;
}

export interface Processor extends AsyncDisposable {
  /** Runs the row if it is there to run. Throws only where the database cannot be asked. */
  /** @returns false where its handler was left at a deadline, a cancellation or a lost lease, and may still be at work. */
  process(claim: Claim): Promise<boolean>;
  /** Dispatches a row again, after a while, that cannot be run here now. */
  passOn: Outcomes['passOn'];
  /** As of `Outcomes`. */
  giveBack: Outcomes['giveBack'];
  /**
   * Takes no further row: what was dispatched to it is dispatched again, to another worker. What runs may end by itself for
   * some seconds, then it is handed back, and another worker starts it again at once.
   * @param underWay all that was begun here.
   */
  stop(underWay: Promise<unknown>): Promise<void>;
}

/** Running jobs may end by themselves for this long after the stop. */
const finishWithinMs = 7_000;

/** A reason needs no stack of its own for each job. */
const jobIsOver = new LeaseLost();

function timedOut(row: ClaimedRow): AppError {
  return new AppError(
    'job_timeout',
    `The job did not end within its ${row.timeout_ms} ms. Ask for less at once, or raise \`timeout\`.`,
  );
}

/** The life of one job: claim, parse, run under a deadline, store, announce. */
export function createProcessor(options: ProcessorOptions): Processor {
  const {
    db,
    leaseDb,
    redis,
    dispatcher,
    announcer,
    subscriber,
    catalog,
    files,
    toolbox,
    tracing,
    jobSecrets,
    log,
    metrics,
    leaseMs,
    resultTtlMs,
    checkErrors,
  } = options;
  const keeper = createLeaseKeeper(leaseDb, log, leaseMs);
  // Quicker than the next renewal.
  listenForCancellations(subscriber, log, (id) => keeper.lose(id));
  const loadHandler = createHandlerLoader(catalog);
  const running = new Set<AbortController>();
  let takesRows = true;
  let keepsRows = true;
  const claim = batchWrite((claims: readonly Claim[]) => claimJobs(db, claims, leaseMs));
  const retryWhileDatabaseAway = createDatabaseRetry({ redis, log });
  const outcomes = createOutcomes({
    catalog,
    db,
    announcer,
    dispatcher,
    log,
    retryWhileDatabaseAway,
    resultTtlMs,
    checkErrors,
  });

  async function run(
    row: ClaimedRow,
    lease: Lease,
    signal: AbortSignal,
    warnings: Warning[],
  ): Promise<JobEnd> {
    const deadlineAt = performance.now() + row.left_ms;
    const operation = await catalog.findQueued(row.operation);
    if (operation === undefined)
      throw new AppError('internal_error', `This version does not know ${row.operation}.`);
    let cache: CacheUse | null = null;
    let provenance: Provenance | null = null;
    /** The same from several children of a job is told once. */
    const warn: JobContext['warn'] = (code, message) => {
      if (!warnings.some((told) => told.code === code && told.message === message))
        warnings.push({ code, message });
    };
    const { suspension, ...composition } = createComposition({
      db,
      row,
      lease,
      retryWhileDatabaseAway,
      jobSecrets,
      tracing,
      warn,
      maxResultBytes: operation.maxResultBytes,
    });
    const runFiles = createJobFiles({
      db,
      stores: files,
      lease,
      earlier: row.files ?? [],
      signal,
      retryWhileDatabaseAway,
    });
    const job: JobContext = {
      ...composition,
      jobId: row.id,
      userId: row.user_id,
      signal,
      deadlineAt,
      async progress(done, total, note) {
        const progress = { done, total, note: note ?? null };
        const isSaved = await retryWhileDatabaseAway(() => saveProgress(db, lease, progress));
        if (isSaved) announcer.changed([changeOf(row)]);
      },
      tellCache: (use) => void (cache = use),
      tellProvenance: (told) => void (provenance = told),
      warn,
      files: runFiles.files,
    };
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const onAbort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    aborted.catch(() => undefined);
    const { data: input, error: flaw } = operation.input.safeParse(jobSecrets.join(row));
    if (flaw !== undefined) {
      const detail = `An earlier version accepted this request, and this one cannot run it (${z.prettifyError(flaw)}). Send it again as the reference has it now.`;
      throw new AppError('invalid_request', detail, { isFinal: true });
    }
    const [handler, tools] = await Promise.all([loadHandler(operation), toolbox.of(operation.queue)]);
    options.onBegin?.(lease);
    const answer: unknown = await Promise.race([handler.run(input, job, tools), aborted]).catch(
      (thrown: unknown) => Promise.reject(suspension() ?? thrown),
    );
    const left = suspension();
    if (left !== undefined) throw left;
    const output = operation.output.parse(answer);
    const result = await writeResult(output, operation.maxResultBytes);
    const outcome = { ok: true as const, result, files: runFiles.list() };
    return { outcome, warnings, cache, provenance, ttlMs: keptForMs(row, resultTtlMs) };
  }

  /** A part of the trace of the request that has made the job. Being parked is no failure. */
  async function runTraced(row: ClaimedRow, ...more: [Lease, AbortSignal, Warning[]]): Promise<JobEnd> {
    const attributes = { 'quarry.job_id': row.id, 'quarry.operation': row.operation };
    const of = { kind: 'consumer', parent: row.trace_parent, attributes } as const;
    const end = await tracing.trace(`run ${row.operation}`, of, async (span) => {
      span.set({ 'quarry.attempt': row.attempts });
      return await run(row, ...more).catch((thrown: unknown) => {
        if (!(thrown instanceof Suspension)) throw thrown;
        span.set({ 'quarry.parked': true });
        return thrown;
      });
    });
    if (end instanceof Suspension) throw end;
    return end;
  }

  async function runClaimed(row: ClaimedRow, lease: Lease): Promise<boolean> {
    const abort = new AbortController();
    const warnings: Warning[] = [];
    const start = performance.now();
    running.add(abort);
    keeper.hold(lease, (reason) => abort.abort(reason));
    const deadline = setTimeout(() => abort.abort(timedOut(row)), Math.max(0, row.left_ms));
    try {
      await runTraced(row, lease, abort.signal, warnings).then(
        (end) => outcomes.store(row, lease, end),
        (thrown: unknown) =>
          outcomes.settle(row, lease, abort.signal.aborted ? abort.signal.reason : thrown, warnings),
      );
      return !abort.signal.aborted;
    } finally {
      clearTimeout(deadline);
      running.delete(abort);
      keeper.release(lease);
      // Whatever the handler left running ends with the job.
      abort.abort(jobIsOver);
      const ms = Math.round(performance.now() - start);
      metrics.jobRunSeconds.observe({ operation: row.operation }, ms / 1_000);
      const { id: jobId, user_id: userId, request_id: requestId, operation, attempts: attempt } = row;
      log.info({ jobId, userId, requestId, operation, attempt, ms }, 'job run');
    }
  }

  /** Of its first start; what starts again has waited for something else. */
  function measureWait({ operation, attempts, created_at: from, started_at: to }: ClaimedRow): void {
    if (attempts !== 1 || to === null) return;
    metrics.jobWaitSeconds.observe({ operation }, Math.max(0, to.getTime() - from.getTime()) / 1_000);
  }

  async function claimAndRun(claimed: Claim): Promise<boolean> {
    const row = await claim({ token: createLeaseToken(options.workerId), ...claimed });
    if (row === undefined) return true;
    announcer.changed([changeOf(row)]);
    measureWait(row);
    const lease = { id: row.id, token: row.lease_token };
    if (keepsRows) return await runClaimed(row, lease);
    await outcomes.settle(row, lease, new HandedBack(), []);
    return true;
  }

  return {
    async process(asked) {
      if (takesRows) return await claimAndRun(asked);
      await outcomes.passOn(asked.id, 0);
      return true;
    },
    passOn: outcomes.passOn,
    giveBack: outcomes.giveBack,
    async stop(underWay) {
      takesRows = false;
      const handBack = setTimeout(() => {
        keepsRows = false;
        for (const abort of running) abort.abort(new HandedBack());
      }, finishWithinMs);
      await underWay;
      clearTimeout(handBack);
    },
    [Symbol.asyncDispose]: () => keeper[Symbol.asyncDispose](),
  };
}
