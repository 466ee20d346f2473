import arrangeArticle from '../../src/workers/summarize/arrange-article.ts';
import extractSummary from '../../src/workers/summarize/extractive/extract-summary.ts';
import findQuotes from '../../src/workers/summarize/find-quotes.ts';
import measureText from '../../src/workers/summarize/measure-text.ts';
import splitChunks from '../../src/workers/summarize/split-chunks.ts';
import restoreSentences from '../../src/workers/summarize/transcript/restore-sentences.ts';
import type { TextWork } from '../../src/workers/summarize/text-work.ts';

/** The tasks of the pool, run here. */
export const directTextWork: TextWork = {
  measure: (task) => Promise.resolve(measureText(task)),
  extract: (task) => Promise.resolve(extractSummary(task)),
  split: (task) => Promise.resolve(splitChunks(task)),
  findQuotes: (task) => Promise.resolve(findQuotes(task)),
  arrange: (task) => Promise.resolve(arrangeArticle(task)),
  restore: (task) => Promise.resolve(restoreSentences(task)),
};
