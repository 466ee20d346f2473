import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { summaryFields, summaryOptions } from '../../schemas/summary.ts';
import { transcriptInput, transcriptOperation, transcriptSource } from '../../schemas/video-summary.ts';

export const article = defineOperation({
  ...transcriptOperation,
  id: 'video.article',
  summary: 'Turn a video into an article',
  description:
    'What is said in a video as an article: sections with a heading (its chapters, where it has any), the moment at which each begins, paragraphs and quotes. Without a provider it is in the words of the video, sentences and paragraphs restored from its captions. `Accept: text/markdown` answers the article alone.',
  route: { method: 'GET', path: '/api/proxy/video/v1/platform/article' },
  representations: { 'text/markdown': { text: ({ markdown }) => markdown } },
  input: z.strictObject({
    ...transcriptInput,
    model: summaryOptions.model,
    language: summaryOptions.language,
  }),
  output: z.object({
    url: z.string().describe('Canonical URL of the video.'),
    title: z.string().nullable(),
    markdown: z.string().describe('All of it: title, headings with links to their moments, sections.'),
    sections: z.array(
      z.object({
        heading: z.string().nullable().describe("The chapter's title, else what the section is about."),
        startSeconds: z.number().min(0).nullable(),
        markdown: z.string().describe('Its paragraphs and quotes, without the heading.'),
      }),
    ),
    wordCount: z.int().describe('Of the sections.'),
    language: z.string().nullable().describe('Of the article, ISO 639-1; null where it cannot be told.'),
    model: summaryFields.model,
    usage: summaryFields.usage,
    truncated: summaryFields.truncated,
    transcriptSource,
  }),
});
