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
    markdown: z
      .string()
      .describe('The whole article: title, headings that link to their moments, and sections.'),
    sections: z.array(
      z.object({
        heading: z.string().nullable().describe("The chapter's title, else what the section is about."),
        startSeconds: z.number().min(0).nullable(),
        markdown: z.string().describe('Paragraphs and quotes of the section, without its heading.'),
      }),
    ),
    wordCount: z.int().describe('Words in all sections.'),
    language: z
      .string()
      .nullable()
      .describe('Language of the article, ISO 639-1; null when it is not known.'),
    model: summaryFields.model,
    usage: summaryFields.usage,
    truncated: summaryFields.truncated,
    transcriptSource,
  }),
});
