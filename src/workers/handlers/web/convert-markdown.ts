import { convertMarkdown } from '../../../shared/contracts/web/convert-markdown.ts';
import { readContent } from '../../documents/read-content.ts';
import { defineHandler } from '../../handler.ts';
import type makeMarkdown from '../../markdown/make-markdown.ts';
import { readingOf } from '../../page/page-reader.ts';
import { defineTask } from '../../../shared/tasks/task.ts';

const makeMarkdownTask = defineTask<typeof makeMarkdown>(
  new URL('../../markdown/make-markdown.ts', import.meta.url),
);

export default defineHandler(convertMarkdown, async (input, job, tools) => {
  const { onlyMainContent, links, images, frontMatter, maxTokens } = input;
  const content = await readContent(input, { onlyMainContent }, job, tools);
  const { url, finalUrl, title, html, byline, siteName, publishedAt, modifiedAt, language, ...rest } =
    content;
  const { description, contentType, wordCount, confidence } = rest;
  const task = {
    html,
    base: finalUrl,
    links,
    images,
    frontMatter: frontMatter ? { title, url: finalUrl, author: byline, date: publishedAt, language } : {},
    maxTokens: maxTokens ?? null,
  };
  const made = await tools.tasks.run(makeMarkdownTask, task, readingOf(job));
  if (made.truncated) {
    job.warn(
      'markdown_truncated',
      `The markdown ends at ${made.tokens} tokens, as \`maxTokens\` asked; the page goes on.`,
    );
  }
  const metadata = {
    byline,
    siteName,
    publishedAt,
    modifiedAt,
    language,
    description,
    contentType,
    wordCount,
    confidence,
  };
  return { url, finalUrl, title, ...made, metadata };
});
