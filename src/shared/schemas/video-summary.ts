import { z } from 'zod';
import { captionTag } from './caption-tag.ts';
import { modelErrors, pageSummary, summaryFields } from './summary.ts';
import { captionLanguage } from './video.ts';
import { lookMs, platformErrors, videoUrl } from './video-requests.ts';

export const transcriptSource = captionLanguage.describe('The captions that the transcript was made of.');

/** What all that is made of a transcript takes. */
export const transcriptInput = {
  url: videoUrl,
  lang: captionTag
    .optional()
    .describe('BCP 47 tag of the captions that are read; default: of the language that is spoken.')
    .meta({ examples: ['en'] }),
};

/** What all that is made of a transcript has in common, to be spread into `defineOperation`. */
export const transcriptOperation = {
  queue: 'ai',
  targets: ({ url }: { url: string }) => [url],
  /** Two looks at the platform, and the calls of the model. */
  timeoutMs: () => 2 * lookMs + 900_000,
  waitMs: 110_000,
  errors: [...platformErrors, 'captions_unavailable', ...modelErrors],
} as const;

const moment = z.object({
  startSeconds: z.number().min(0),
  title: z.string().nullable().describe("The chapter's; without chapters, what the part is about."),
  summary: z.string().nullable().describe('Of what is said there; null where nothing is.'),
});

export const videoSummaryAnswer = pageSummary.extend({
  finalUrl: z.string().describe('Canonical URL of the video.'),
  wordCount: z.int().describe('Of the transcript.'),
  readingMinutes: z.int().describe('Of the transcript.'),
  citations: z
    .array(
      summaryFields.citations.element.extend({
        quote: z
          .string()
          .describe('Stands in the captions: looked up, punctuation, capitals and white space apart.'),
        startSeconds: z.number().min(0).describe('Of the caption in which the quote begins.'),
      }),
    )
    .describe('Of the claims that a quote proves; others have no entry.'),
  moments: z
    .array(moment)
    .describe('One for each chapter of the video; without chapters, for each part of the transcript.'),
  transcriptSource,
});
