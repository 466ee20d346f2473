import { hash as digest } from 'node:crypto';
import type { QueuedOperation } from '../operation.ts';
import { createId } from '../ids.ts';
import type { NewJobRow } from '../db/tables.ts';
import type { JobSecrets } from './job-secrets.ts';

/** JSON with sorted keys: equal values give equal text. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

export function hashInput(operationId: string, input: unknown): Buffer {
  return digest('sha256', `${operationId}\n${canonicalJson(input)}`, 'buffer');
}

export interface JobOwner {
  userId: string;
  keyId: string | null;
  requestId: string | null;
  /** Of the step that asks for it. */
  traceParent: string | null;
}

/** What an operation is asked: the JSON as it came, for the worker to parse again; what it means; and its hash. */
export interface Asked {
  request: unknown;
  input: unknown;
  hash: Buffer;
}

/** The row of a new job. */
export function createJobRow(
  jobSecrets: JobSecrets,
  operation: QueuedOperation,
  { request, input, hash }: Asked,
  owner: JobOwner,
  parent: { id: string; ordinal: number; rootId: string } | null = null,
): NewJobRow {
  const id = createId();
  const { input: shown, secrets } = jobSecrets.split(id, request);
  return {
    id,
    user_id: owner.userId,
    key_id: owner.keyId,
    request_id: owner.requestId,
    trace_parent: owner.traceParent,
    operation: operation.id,
    queue: operation.queue,
    input: JSON.stringify(shown),
    secrets,
    input_hash: hash,
    timeout_ms: Math.ceil(operation.timeoutMs(input)),
    parent_id: parent?.id ?? null,
    ordinal: parent?.ordinal ?? null,
    root_id: parent?.rootId ?? null,
  };
}
