import type { Db } from '../shared/db/client.ts';
import { findBlobBytes } from '../shared/db/blobs.ts';
import { type ChildRow, listChildren } from '../shared/db/job-children.ts';
import { type Lease, saveSteps } from '../shared/db/job-leases.ts';
import { liveStatuses } from '../shared/db/jobs.ts';
import type { JobRow, NewJobRow } from '../shared/db/tables.ts';
import { fromStoredError, type StoredError } from '../shared/errors.ts';
import type { QueuedOperation } from '../shared/operation.ts';
import { createJobRow, hashInput } from '../shared/queue/input.ts';
import type { CallResult, JobContext } from './handler.ts';

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

/** Results of one `callAll` together: they are in memory at once, and once more in the result that is made of them. */
const maxResultsBytes = 64 * 1024 * 1024;

const leftOut: StoredError = {
  code: 'target_too_large',
  detail: `The results before this one fill the ${maxResultsBytes / 1024 ** 2} MB that a job may gather. Ask for this one by itself, or for fewer at once.`,
};

/** What is left of the results, in their order, once those that do not fit are taken out. */
function withinBound(children: readonly ChildRow[]): ChildRow[] {
  let sum = 0;
  return children.map((child) => {
    const size = child.size_bytes ?? 0;
    if (sum + size > maxResultsBytes) return { ...child, result_blob_id: null, error: leftOut };
    sum += size;
    return child;
  });
}

async function readResults<Op extends QueuedOperation>(
  db: Db,
  operation: Op,
  ended: readonly ChildRow[],
): Promise<CallResult<Op>[]> {
  const children = withinBound(ended);
  const blobIds = children.flatMap(({ result_blob_id: id }) => (id === null ? [] : [id]));
  const bytes = await findBlobBytes(db, blobIds);
  return children.map((child) => {
    const result = child.result_blob_id === null ? undefined : bytes.get(child.result_blob_id);
    if (result === undefined) return { ok: false, error: child.error ?? canceledChild };
    type Output = (CallResult<Op> & { ok: true })['output'];
    return { ok: true, output: operation.output.parse(JSON.parse(result.toString())) as Output };
  });
}

export interface Composition extends Pick<JobContext, 'step' | 'recall' | 'call' | 'callAll'> {
  /** Why the run was left, also where its handler has caught what left it. */
  suspension(): Suspension | undefined;
}

/** `step`, `call` and `callAll` of one run, answered from the rows where an earlier run came further. */
export function createComposition(db: Db, row: JobRow, lease: Lease): Composition {
  const steps = { ...row.steps };
  let children: Promise<Map<number | null, ChildRow>> | undefined;
  let nextOrdinal = 0;
  let suspension: Suspension | undefined;

  /** The earlier run's child at this place. @throws Error where that run called something else there. */
  function checkSame(child: ChildRow, operation: QueuedOperation, request: unknown): void {
    if (child.operation === operation.id && child.input_hash.equals(hashInput(operation.id, request))) return;
    throw new Error(
      `${row.operation} called something else at ${child.ordinal} than in its earlier run: ${operation.id}`,
    );
  }

  const callAll: JobContext['callAll'] = async (operation, requests) => {
    if (suspension !== undefined) throw suspension;
    const first = nextOrdinal;
    nextOrdinal += requests.length;
    children ??= listChildren(db, row.id).then(
      (rows) => new Map(rows.map((child) => [child.ordinal, child])),
    );
    const known = await children;
    const rootId = row.root_id ?? row.id;
    const owner = { userId: row.user_id, keyId: null, requestId: row.request_id };
    const missing: NewJobRow[] = [];
    const ended: ChildRow[] = [];
    for (const [index, request] of requests.entries()) {
      const ordinal = first + index;
      const child = known.get(ordinal);
      if (child === undefined) {
        missing.push(createJobRow(operation, request, owner, { id: row.id, ordinal, rootId }));
        continue;
      }
      checkSame(child, operation, request);
      if (!liveStatuses.some((status) => status === child.status)) ended.push(child);
    }
    if (ended.length < requests.length) throw (suspension ??= new Suspension(missing));
    return await readResults(db, operation, ended);
  };

  return {
    suspension: () => suspension,
    callAll,
    recall: (name) => (Object.hasOwn(steps, name) ? steps[name] : undefined),
    async call(operation, request) {
      const [result] = await callAll(operation, [request]);
      if (result === undefined) throw new Error('callAll answered nothing');
      if (!result.ok) throw fromStoredError(result.error);
      return result.output;
    },
    async step<T>(name: string, fn: () => Promise<T>): Promise<T> {
      if (Object.hasOwn(steps, name)) return steps[name] as T;
      if (suspension !== undefined) throw suspension;
      const value = await fn();
      steps[name] = value;
      if (!(await saveSteps(db, lease, steps))) throw new LeaseLost();
      return value;
    },
  };
}
