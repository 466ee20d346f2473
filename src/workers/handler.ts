import type { z } from 'zod';
import type { StoredError } from '../shared/errors.ts';
import type { ByteRange, JobFile } from '../shared/files/file-store.ts';
import type { OutputOf, QueuedOperation, RequestOf } from '../shared/operation.ts';
import type { CacheUse, Provenance, Warning } from '../shared/schemas/job.ts';
import type { ToolsOf } from './tools.ts';

export type CallResult<Op extends QueuedOperation> =
  { ok: true; output: OutputOf<Op>; warnings: readonly Warning[] } | { ok: false; error: StoredError };

/** A file as its handler sees it. */
export type StoredFile = Omit<JobFile, 'id' | 'store'>;

export interface JobFiles {
  /**
   * Stores a file under a name of its own (letters, digits, `.`, `_`, `-`; at most 128), in bounded memory however
   * large it is. The same name again replaces it. It is there for later runs of the job too.
   */
  write(
    name: string,
    contentType: string,
    content: Uint8Array | AsyncIterable<Uint8Array>,
  ): Promise<StoredFile>;
  /** Bytes of a file of this job, also of an earlier run. @throws Error where there is none of the name. */
  read(name: string, range?: ByteRange): AsyncIterable<Buffer>;
}

/** What a running job can do beside its own work. */
export interface JobContext {
  readonly jobId: string;
  /** Whose job it is: what is shared fairly is shared between users. */
  readonly userId: string;
  /** Aborts when the job is canceled, its time is over, or the worker stops; everything it started must end. */
  readonly signal: AbortSignal;
  /** When its time is over, as `performance.now()` counts. */
  readonly deadlineAt: number;
  progress(done: number | null, total: number | null, note?: string): Promise<void>;
  /** Told to the client in `meta.warnings`. */
  warn(code: string, message: string): void;
  /** Told to the client in `meta.cache`. */
  tellCache(use: CacheUse): void;
  /** Told to the client in `meta.sources` and `meta.cost`. */
  tellProvenance(told: Provenance): void;
  /** Kept and deleted with the job's result; those of a job that does not succeed are deleted soon. */
  readonly files: JobFiles;
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
   * runs again from its top when the child has ended; what leaves it must not be caught. The child's warnings are
   * this job's too.
   * @throws AppError the child's own error; `invalid_request` where the operation would not take the request.
   */
  call<Op extends QueuedOperation>(operation: Op, request: RequestOf<Op>): Promise<OutputOf<Op>>;
  /** As `call`, for many at once, in order; failures are entries, and each entry has the warnings of its child. */
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
