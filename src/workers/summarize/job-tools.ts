import type { JobContext } from '../handler.ts';
import type { TaskPool } from '../tasks/task.ts';
import type { Model } from '../ai/model.ts';
import type { SummaryTools } from './summarize-text.ts';
import { createTextWork } from './text-work.ts';

/** What summaries of a job are made with: its steps, and the pool for work on the text. */
export function createSummaryTools(job: JobContext, tasks: TaskPool): SummaryTools {
  return {
    work: createTextWork(tasks, { signal: job.signal, owner: job.userId }),
    step: (name, fn) => job.step(name, fn),
    signal: job.signal,
  };
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
