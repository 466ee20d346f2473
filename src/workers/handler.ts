import type { z } from 'zod';
import type { StoredError } from '../shared/errors.ts';
import type { OutputOf, QueuedOperation, RequestOf } from '../shared/operation.ts';
import type { CacheUse } from '../shared/schemas/job.ts';
import type { ToolsOf } from './tools.ts';

export type CallResult<Op extends QueuedOperation> =
  { ok: true; output: OutputOf<Op> } | { ok: false; error: StoredError };

/** What a running job can do beside its own work. */
export interface JobContext {
  readonly jobId: string;
  readonly userId: string;
  /** Aborts when the job is canceled, its time is over, or the worker stops; everything it started must end. */
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly deadlineAt: number;
  progress(done: number | null, total: number | null, note?: string): Promise<void>;
  /** Told to the client in `meta.warnings`. */
  warn(code: string, message: string): void;
  /** Told to the client in `meta.cache`. */
  tellCache(use: CacheUse): void;
  /** Keeps an image with the result. @returns its blob's id, for the output. */
  keepImage(contentType: string, bytes: Buffer): string;
  /**
   * Runs `fn` once in the job's life: after a resume or a crash its stored JSON is answered instead, and what the
   * first run gets is that JSON too (a Date is its text, undefined is null). Side effects before a `call` belong
   * here; `fn` itself calls nothing.
   */
  step<T>(name: string, fn: () => Promise<T>): Promise<T>;
  /** What a step of an earlier run has stored; undefined where it has not run yet. */
  recall(name: string): unknown;
  /**
   * Runs another operation as a job of its own and answers its output. The handler is left at this point and
   * runs again from its top when the child has ended; what leaves it must not be caught.
   * @throws AppError the child's own error; `invalid_request` where the operation would not take the request.
   */
  call<Op extends QueuedOperation>(operation: Op, request: RequestOf<Op>): Promise<OutputOf<Op>>;
  /** As `call`, for many at once, in order; failures are entries. */
  callAll<Op extends QueuedOperation>(
    operation: Op,
    requests: readonly RequestOf<Op>[],
  ): Promise<CallResult<Op>[]>;
}

/** `tools` are those of the operation's queue. */
export interface JobHandler<Op extends QueuedOperation = QueuedOperation> {
  operation: Op;
  run(input: z.output<Op['input']>, job: JobContext, tools: ToolsOf<Op['queue']>): Promise<OutputOf<Op>>;
}

export function defineHandler<Op extends QueuedOperation>(
  operation: Op,
  run: JobHandler<Op>['run'],
): JobHandler<Op> {
  return { operation, run };
}
