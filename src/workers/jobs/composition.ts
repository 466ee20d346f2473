import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTick } from 'node:timers/promises';
import type { z } from 'zod';
import type { Db } from '../../shared/db/client.ts';
import { findResultTexts } from '../../shared/db/blobs.ts';
import { type ChildRow, listChildren } from '../../shared/jobs/transitions/park.ts';
import { type ClaimedRow, type Lease, saveSteps } from '../../shared/jobs/transitions/lease.ts';
import { liveStatuses } from '../../shared/jobs/find-jobs.ts';
import type { NewJobRow } from '../../shared/db/tables.ts';
import { fromStoredError, type StoredError } from '../../shared/errors.ts';
import { batchWrite } from '../../shared/batch-write.ts';
import type { QueuedOperation } from '../../shared/operation.ts';
import { createJobRow, hashInput } from '../../shared/jobs/job-row.ts';
import type { Tracing } from '../../shared/tracing/tracing.ts';
import type { JobSecrets } from '../../shared/jobs/job-secrets.ts';
import type { CallResult, JobContext } from '../handler.ts';
import type { RetryWhileDatabaseAway } from './retry-while-database-away.ts';
import { inMegabytes } from './write-result.ts';

/** Leaves the handler until its children have ended. Caught by the processor; lint says so to everyone else. */
export class Suspension extends Error {
  readonly children: readonly NewJobRow[];

  constructor(children: readonly NewJobRow[]) {
    super('suspended until its children have ended');
    this.children = children;
  }
}

/** The lease went to another worker, or the job was canceled: nothing of this run counts any more. */
export class LeaseLost extends Error {}

const canceledChild: StoredError = { code: 'job_canceled', detail: 'This part of the job was canceled.' };

/** Bytes of the results of one `callAll`, which are in memory at once, and once more in the result that is made of them. */
const usualBound = 64 * 1024 * 1024;

/** Characters; other jobs go on between. */
const parsedAtOnce = 1_048_576;

/** What is left of the results, in their order, once those that do not fit are taken out. */
function withinBound(children: readonly ChildRow[], bound: number): ChildRow[] {
  const leftOut: StoredError = {
    code: 'target_too_large',
    detail: `The results before this one fill the ${inMegabytes(bound)} MB that a job may gather. Ask for this one by itself, or for fewer at once.`,
  };
  let sum = 0;
  return children.map((child) => {
    const size = child.size_bytes ?? 0;
    if (sum + size > bound) return { ...child, result_blob_id: null, error: leftOut };
    sum += size;
    return child;
  });
}

async function readResults<Op extends QueuedOperation>(
  db: Db,
  children: readonly ChildRow[],
): Promise<CallResult<Op>[]> {
  const blobIds = children.flatMap(({ result_blob_id: id }) => (id === null ? [] : [id]));
  const texts = await findResultTexts(db, blobIds);
  const results: CallResult<Op>[] = [];
  let parsedLength = 0;
  for (const child of children) {
    const result = child.result_blob_id === null ? undefined : texts.get(child.result_blob_id);
    if (result === undefined) {
      results.push({ ok: false, error: child.error ?? canceledChild });
      continue;
    }
    type Output = (CallResult<Op> & { ok: true })['output'];
    // Checked when it was stored, as what is made of it will be.
    const output = JSON.parse(result) as Output;
    results.push({ ok: true, output, warnings: child.warnings ?? [] });
    parsedLength += result.length;
    if (parsedLength < parsedAtOnce) continue;
    parsedLength = 0;
    await nextTick();
  }
  return results;
}

/** Why the operation would not take the request; null where it would. */
function flawOf(operation: QueuedOperation, error: z.ZodError): StoredError {
  const errors = error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  const detail = `${operation.id} cannot take this: ${errors.map(({ message }) => message).join(' ')}`;
  return { code: 'invalid_request', detail, errors };
}

/** The children of earlier runs by what they were asked, each to be taken once, the oldest first. */
async function loadChildren(db: Db, parentId: string) {
  const rows = (await listChildren(db, parentId)).sort((a, b) => (a.ordinal ?? 0) - (b.ordinal ?? 0));
  const byAsked = Map.groupBy(rows, (child) => child.input_hash.toString('hex'));
  return {
    nextOrdinal: (rows.at(-1)?.ordinal ?? -1) + 1,
    take: (hash: Buffer): ChildRow | undefined => byAsked.get(hash.toString('hex'))?.shift(),
  };
}

/** Set inside of a step, whose calls a later run could not repeat. */
const insideStep = new AsyncLocalStorage<string>();

export interface Composition extends Pick<JobContext, 'step' | 'recall' | 'call' | 'callAll'> {
  /** Why the run was left, also where its handler has caught what left it. */
  suspension(): Suspension | undefined;
}

export interface CompositionOptions {
  db: Db;
  row: ClaimedRow;
  lease: Lease;
  retryWhileDatabaseAway: RetryWhileDatabaseAway;
  jobSecrets: JobSecrets;
  tracing: Pick<Tracing, 'current'>;
  warn: JobContext['warn'];
  /** That the operation of the job asks for. */
  maxResultBytes: number | undefined;
}

/**
 * `step`, `call` and `callAll` of one run, answered from the rows where an earlier run came further. A child is
 * known again by what it was asked, so that calls side by side may come in another order than in the run before.
 */
export function createComposition(options: CompositionOptions): Composition {
  const { db, row, lease, retryWhileDatabaseAway, jobSecrets, tracing, warn } = options;
  const bound = options.maxResultBytes ?? usualBound;
  const steps = { ...row.steps };
  const begun = new Map<string, Promise<unknown>>();
  const saveStep = batchWrite(async (names: readonly string[]) => {
    const isSaved = await retryWhileDatabaseAway(() => saveSteps(db, lease, steps));
    return names.map(() => isSaved);
  });
  let children: ReturnType<typeof loadChildren> | undefined;
  const missing: NewJobRow[] = [];
  let suspension: Suspension | undefined;
  let leaving: Promise<never> | undefined;
  /** Steps and answers, which may lead to further calls of this run. */
  const underWay = new Set<Promise<unknown>>();

  async function untilDone<T>(work: Promise<T>): Promise<T> {
    underWay.add(work);
    try {
      return await work;
    } finally {
      underWay.delete(work);
    }
  }

  async function leave(): Promise<never> {
    do {
      await Promise.allSettled(underWay);
      await nextTick();
    } while (underWay.size > 0);
    throw (suspension = new Suspension(missing));
  }

  const callAll: JobContext['callAll'] = async (operation, requests) => {
    const step = insideStep.getStore();
    if (step !== undefined) throw new Error(`The step ${step} of ${row.operation} calls ${operation.id}`);
    if (suspension !== undefined) throw suspension;
    const known = await (children ??= retryWhileDatabaseAway(() => loadChildren(db, row.id)));
    const rootId = row.root_id ?? row.id;
    const owner = {
      userId: row.user_id,
      keyId: null,
      requestId: row.request_id,
      traceParent: tracing.current(),
    };
    const ended = new Map<number, ChildRow>();
    const flaws = new Map<number, StoredError>();
    for (const [index, request] of requests.entries()) {
      const hash = hashInput(operation.id, request);
      const child = known.take(hash);
      if (child !== undefined) {
        if (!liveStatuses.some((status) => status === child.status)) ended.set(index, child);
        continue;
      }
      const { data: input, error } = operation.input.safeParse(request);
      if (error !== undefined) flaws.set(index, flawOf(operation, error));
      else {
        const ordinal = known.nextOrdinal++;
        const asked = { request, input, hash };
        missing.push(createJobRow(jobSecrets, operation, asked, owner, { id: row.id, ordinal, rootId }));
      }
    }
    if (ended.size + flaws.size < requests.length) return await (leaving ??= leave());
    const results = await untilDone(
      retryWhileDatabaseAway(() =>
        readResults<typeof operation>(db, withinBound([...ended.values()], bound)),
      ),
    );
    return requests.map((_, index) => {
      const error = flaws.get(index);
      return error === undefined ? (results.shift() as CallResult<typeof operation>) : { ok: false, error };
    });
  };

  async function runStep(name: string, fn: () => Promise<unknown>): Promise<unknown> {
    const value = await insideStep.run(name, fn);
    // As a later run will read it.
    steps[name] = JSON.parse(JSON.stringify(value) ?? 'null');
    if (!(await saveStep(name))) throw new LeaseLost();
    return steps[name];
  }

  return {
    suspension: () => suspension,
    callAll,
    recall: (name) => (Object.hasOwn(steps, name) ? steps[name] : undefined),
    async call(operation, request) {
      const [result] = await callAll(operation, [request]);
      if (result === undefined) throw new Error('callAll answered nothing');
      if (!result.ok) throw fromStoredError(result.error);
      for (const { code, message } of result.warnings) warn(code, message);
      return result.output;
    },
    async step<T>(name: string, fn: () => Promise<T>): Promise<T> {
      const running = begun.get(name);
      if (running !== undefined) return (await running) as T;
      if (Object.hasOwn(steps, name)) return steps[name] as T;
      if (suspension !== undefined) throw suspension;
      const run = untilDone(runStep(name, fn));
      begun.set(name, run);
      run.catch(() => begun.delete(name));
      return (await run) as T;
    },
  };
}
