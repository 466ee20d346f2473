import { extract } from '../../../shared/contracts/web/extract.ts';
import { summarizeUrl } from '../../../shared/contracts/web/summarize-url.ts';
import { defineHandler } from '../../handler.ts';
import { toBlocks } from '../../summarize/document.ts';
import { summarizeText } from '../../summarize/summarize-text.ts';
import { createTextWork } from '../../summarize/text-work.ts';

export default defineHandler(summarizeUrl, async (input, job, tools) => {
  const { model: modelId, length, language = null, focus = null, ...page } = input;
  const model = await tools.models.get(modelId, job.userId);
  const { title, text, finalUrl, wordCount, readingMinutes, ...content } = await job.call(extract, page);
  const blocks = toBlocks(text);
  const work = createTextWork(tools.tasks, { signal: job.signal, owner: job.userId });
  const measured = await work.measure({ blocks, declaredLanguage: content.language });
  if (model.kind === 'extractive' && language !== null && language !== measured.language) {
    const message = `The built-in model does not translate: the summary is in the language of the content (${measured.language ?? 'unknown'}).`;
    job.warn('language_kept', message);
  }
  const document = { title, language: measured.language, blocks };
  const { citations, ...summary } = await summarizeText(
    model,
    { name: 'summary', document, length, language, focus },
    { work, step: (name, fn) => job.step(name, fn), signal: job.signal },
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
