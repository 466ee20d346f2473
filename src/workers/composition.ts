import type { Db } from '../shared/db/client.ts';
import { type ChildRow, listChildren } from '../shared/db/job-children.ts';
import { type Lease, saveSteps } from '../shared/db/job-leases.ts';
import type { JobRow, NewJobRow } from '../shared/db/tables.ts';
import { fromStoredError, type StoredError } from '../shared/errors.ts';
import type { QueuedOperation } from '../shared/operation.ts';
import { createJobRow, hashInput } from '../shared/queue/input.ts';
import type { CallResult, JobContext } from './handler.ts';

/** Leaves the handler until its children have ended. Never caught but by the processor. */
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

function resultOf<Op extends QueuedOperation>(operation: Op, child: ChildRow): CallResult<Op> {
  if (child.status === 'succeeded' && child.result !== null) {
    const output = operation.output.parse(JSON.parse(child.result.toString())) as (CallResult<Op> & {
      ok: true;
    })['output'];
    return { ok: true, output };
  }
  return { ok: false, error: child.error ?? canceledChild };
}

/** `step`, `call` and `callAll` of one run, answered from the rows where an earlier run came further. */
export function createComposition(
  db: Db,
  row: JobRow,
  lease: Lease,
): Pick<JobContext, 'step' | 'recall' | 'call' | 'callAll'> {
  const steps = { ...row.steps };
  let children: Promise<Map<number | null, ChildRow>> | undefined;
  let nextOrdinal = 0;

  const callAll: JobContext['callAll'] = async (operation, requests) => {
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
      } else if (
        child.operation !== operation.id ||
        !child.input_hash.equals(hashInput(operation.id, request))
      ) {
        throw new Error(
          `${row.operation} called something else at ${ordinal} than in its earlier run: ${operation.id}`,
        );
      } else if (child.status !== 'queued' && child.status !== 'running' && child.status !== 'waiting') {
        ended.push(child);
      }
    }
    if (ended.length < requests.length) throw new Suspension(missing);
    return ended.map((child) => resultOf(operation, child));
  };

  return {
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
      const value = await fn();
      steps[name] = value;
      if (!(await saveSteps(db, lease, steps))) throw new LeaseLost();
      return value;
    },
  };
}
