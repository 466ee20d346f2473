import { article } from '../../../shared/contracts/video/article.ts';
import { defineHandler } from '../../handler.ts';
import { createSummaryTools, warnOfKeptLanguage } from '../../summarize/job-tools.ts';
import { writeArticleMarkdown } from '../../summarize/transcript/article-markdown.ts';
import { readTranscript } from '../../summarize/transcript/read-transcript.ts';
import { writeArticle } from '../../summarize/write-article.ts';

export default defineHandler(article, async (input, job, tools) => {
  const { url, lang = null, language = null } = input;
  const model = await tools.models.get(input.model, job.userId);
  const summaryTools = createSummaryTools(job, tools.tasks);
  const { info, source, document } = await readTranscript({ url, language: lang }, job, summaryTools.work);
  warnOfKeptLanguage(job, model, { wished: language, own: document.language });
  const { chapters } = info;
  const request = { name: 'article', document, chapters, language };
  const { sections, usage, truncated } = await writeArticle(model, request, summaryTools);
  const written = await summaryTools.work.measure({
    blocks: sections.map(({ markdown }) => ({ text: markdown })),
    declaredLanguage: model.kind === 'extractive' ? document.language : (language ?? document.language),
  });
  return {
    url: info.url,
    title: info.title,
    markdown: writeArticleMarkdown(info, sections),
    sections,
    wordCount: written.wordCount,
    language: written.language,
    model: model.id,
    usage,
    truncated,
    transcriptSource: source,
  };
});
