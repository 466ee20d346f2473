import { defineTask, type TaskOptions, type TaskPool } from '../../shared/tasks/task.ts';
import type arrangeArticle from './arrange-article.ts';
import type { ArrangedSection, ArrangeTask } from './arrange-article.ts';
import type extractSummary from './extractive/extract-summary.ts';
import type { ExtractedSummary, ExtractTask } from './extractive/extract-summary.ts';
import type findQuotes from './find-quotes.ts';
import type { FoundQuote, QuotesTask } from './find-quotes.ts';
import type measureText from './measure-text.ts';
import type { MeasuredText, MeasureTask } from './measure-text.ts';
import type splitChunks from './split-chunks.ts';
import type { SplitTask, SplitText } from './split-chunks.ts';
import type restoreSentences from './transcript/restore-sentences.ts';
import type { RestoreTask, SpokenText } from './transcript/restore-sentences.ts';

/** What works on a text itself; each runs in the task pool. */
export interface TextWork {
  measure(task: MeasureTask): Promise<MeasuredText>;
  extract(task: ExtractTask): Promise<ExtractedSummary>;
  split(task: SplitTask): Promise<SplitText>;
  findQuotes(task: QuotesTask): Promise<(FoundQuote | null)[]>;
  arrange(task: ArrangeTask): Promise<ArrangedSection[]>;
  restore(task: RestoreTask): Promise<SpokenText>;
}

const measureTask = defineTask<typeof measureText>(new URL('./measure-text.ts', import.meta.url));
const extractTask = defineTask<typeof extractSummary>(
  new URL('./extractive/extract-summary.ts', import.meta.url),
);
const splitTask = defineTask<typeof splitChunks>(new URL('./split-chunks.ts', import.meta.url));
const quotesTask = defineTask<typeof findQuotes>(new URL('./find-quotes.ts', import.meta.url));
const arrangeTask = defineTask<typeof arrangeArticle>(new URL('./arrange-article.ts', import.meta.url));
const restoreTask = defineTask<typeof restoreSentences>(
  new URL('./transcript/restore-sentences.ts', import.meta.url),
);

/** A document of 300 pages takes two seconds of a core that has nothing else to do. */
const timeoutMs = 60_000;

/** @param job that the text is worked on for. */
export function createTextWork(tasks: TaskPool, job: Pick<TaskOptions, 'signal' | 'owner'>): TextWork {
  const options = { ...job, timeoutMs };
  return {
    measure: (task) => tasks.run(measureTask, task, options),
    extract: (task) => tasks.run(extractTask, task, options),
    split: (task) => tasks.run(splitTask, task, options),
    findQuotes: (task) => tasks.run(quotesTask, task, options),
    arrange: (task) => tasks.run(arrangeTask, task, options),
    restore: (task) => tasks.run(restoreTask, task, options),
  };
}
