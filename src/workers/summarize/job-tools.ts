import { AppError } from '../../shared/errors.ts';
import { tally } from '../ai/billing.ts';
import { extractiveModel, type Model, noTokens, type TokenUsage } from '../ai/model.ts';
import type { JobContext } from '../handler.ts';
import type { TaskPool } from '../../shared/tasks/task.ts';
import { createTextWork, type TextWork } from './text-work.ts';

export interface SummaryTools {
  work: TextWork;
  /** Of the job: what is paid for is paid for once. */
  step<T>(name: string, fn: () => Promise<T>): Promise<T>;
  /** Told to the client. */
  warn(code: string, message: string): void;
  signal: AbortSignal;
}

/** What summaries of a job are made with: its steps, and the pool for work on the text. */
export function createSummaryTools(job: JobContext, tasks: TaskPool): SummaryTools {
  return {
    work: createTextWork(tasks, { signal: job.signal, owner: job.userId }),
    step: (name, fn) => job.step(name, fn),
    warn: (code, message) => job.warn(code, message),
    signal: job.signal,
  };
}

/**
 * What is made of parts that have been paid for: by the built-in model, with a warning, where the model fails.
 * @param what in the warning: `the summary of all pages`.
 * @returns with the model that has written it, and what calls have taken in vain.
 */
export async function writeOrExtract<T>(
  job: JobContext,
  model: Model,
  what: string,
  write: (by: Model) => Promise<T>,
): Promise<{ by: Model; written: T; lost: TokenUsage | null }> {
  if (model.kind === 'extractive') return { by: model, written: await write(model), lost: noTokens };
  const tallied = tally(model);
  try {
    return { by: model, written: await write(tallied.model), lost: noTokens };
  } catch (error) {
    job.signal.throwIfAborted();
    if (!(error instanceof AppError)) throw error;
    const message = `The built-in model made ${what}, in the language of the content, as ${model.id} failed: ${error.detail}`;
    job.warn('model_failed', message);
    return { by: extractiveModel, written: await write(extractiveModel), lost: tallied.used() };
  }
}

/** Tells where the built-in model keeps to the language of the content. */
export function warnOfKeptLanguage(
  job: JobContext,
  model: Model,
  { wished, own }: { wished: string | null; own: string | null },
): void {
  if (model.kind !== 'extractive' || wished === null || wished === own) return;
  const message = `The built-in model does not translate: the answer is in the language of the content (${own ?? 'unknown'}).`;
  job.warn('language_kept', message);
}
