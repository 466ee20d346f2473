import { extract } from '../../../shared/contracts/web/extract.ts';
import { summarizeUrl } from '../../../shared/contracts/web/summarize-url.ts';
import { defineHandler } from '../../handler.ts';
import { toBlocks } from '../../summarize/document.ts';
import { createSummaryTools, warnOfKeptLanguage } from '../../summarize/job-tools.ts';
import { summarizeText } from '../../summarize/summarize-text.ts';

export default defineHandler(summarizeUrl, async (input, job, tools) => {
  const { model: modelId, length, language = null, focus = null, ...page } = input;
  const model = await tools.models.get(modelId, job.userId);
  const { title, text, finalUrl, wordCount, readingMinutes, ...content } = await job.call(extract, page);
  const blocks = toBlocks(text);
  const summaryTools = createSummaryTools(job, tools.tasks);
  const measured = await summaryTools.work.measure({ blocks, declaredLanguage: content.language });
  warnOfKeptLanguage(job, model, { wished: language, own: measured.language });
  const document = { title, language: measured.language, blocks };
  const { citations, ...summary } = await summarizeText(
    model,
    { name: 'summary', document, length, language, focus },
    summaryTools,
  );
  return {
    url: input.url,
    finalUrl,
    title,
    language: measured.language,
    wordCount,
    readingMinutes,
    ...summary,
    citations: citations.map(({ claim, quote }) => ({ claim, quote })),
    model: model.id,
  };
});
