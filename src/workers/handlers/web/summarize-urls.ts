import { summarizeUrl } from '../../../shared/contracts/web/summarize-url.ts';
import { summarizeUrls } from '../../../shared/contracts/web/summarize-urls.ts';
import { readEach } from '../../batch/read-each.ts';
import { defineHandler } from '../../handler.ts';
import { createSummaryTools, writeOrExtract } from '../../summarize/job-tools.ts';
import { combineSummaries } from '../../summarize/summarize-several.ts';

export default defineHandler(summarizeUrls, async ({ urls, combine, ...options }, job, tools) => {
  const model = await tools.models.get(options.model, job.userId);
  const { results: items, ...counts } = await readEach(job, summarizeUrl, urls, (url) => ({
    url,
    ...options,
  }));
  if (!combine) return { items, ...counts };
  const texts = items.flatMap(({ data }) => (data === undefined ? [] : { ...data, url: data.finalUrl }));
  if (texts.length === 0) return { items, ...counts, combined: null };
  const { length, language = null, focus = null } = options;
  const { by, written, lost } = await writeOrExtract(job, model, 'the summary of all pages', (one) =>
    combineSummaries(one, texts, { length, language, focus }, createSummaryTools(job, tools.tasks)),
  );
  return {
    items,
    ...counts,
    combined: {
      ...written,
      usage: by === model ? written.usage : lost?.inputTokens ? lost : null,
      model: by.id,
    },
  };
});
