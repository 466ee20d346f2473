import type { StoredError } from '../errors.ts';

export interface TaskRequest {
  moduleUrl: string;
  payload: unknown;
}

/** What a task's process says: first that it is up, then one answer to each request. */
export type TaskReply =
  | { kind: 'ready' }
  | { kind: 'result'; value: unknown }
  /** An expected failure: an AppError of the task. */
  | { kind: 'refused'; error: StoredError }
  /** The task needs more than this process has: its stack, or one value that is too long. */
  | { kind: 'exhausted'; message: string }
  | { kind: 'failed'; name: string; message: string; stack: string | undefined };
