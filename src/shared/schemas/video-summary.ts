import { z } from 'zod';
import { longWaitMs } from '../operation.ts';
import { captionTag } from './caption-tag.ts';
import { modelErrors, pageSummary, summaryFields } from './summary.ts';
import { captionLanguage } from './video.ts';
import { extractionMs, platformErrors, videoUrl } from './video-requests.ts';

export const transcriptSource = captionLanguage.describe('The captions from which the transcript was made.');

/** What all that is made of a transcript takes. */
export const transcriptInput = {
  url: videoUrl,
  lang: captionTag
    .optional()
    .describe('BCP 47 tag of the captions to read; default: the language that is spoken.')
    .meta({ examples: ['en'] }),
};

/** What all that is made of a transcript has in common, to be spread into `defineOperation`. */
export const transcriptOperation = {
  queue: 'ai',
  targets: ({ url }: { url: string }) => [url],
  /** Two extractions, and the calls of the model. */
  timeoutMs: () => 2 * extractionMs + 900_000,
  waitMs: longWaitMs,
  errors: [...platformErrors, 'captions_unavailable', ...modelErrors],
} as const;

const moment = z.object({
  startSeconds: z.number().min(0),
  title: z.string().nullable().describe('Title of the chapter; without chapters, what the part is about.'),
  summary: z.string().nullable().describe('Summary of what is said there; null if nothing is said.'),
});

export const videoSummaryAnswer = pageSummary.extend({
  finalUrl: z.string().describe('Canonical URL of the video.'),
  wordCount: z.int().describe('Words in the transcript.'),
  readingMinutes: z.int().describe('Time to read the transcript, at 238 words per minute, rounded up.'),
  citations: z
    .array(
      summaryFields.citations.element.extend({
        quote: z
          .string()
          .describe('Verified to occur in the captions, apart from punctuation, capitals and white space.'),
        startSeconds: z.number().min(0).describe('Start of the caption in which the quote begins.'),
      }),
    )
    .describe('Quotes that support claims; a claim without a quote has no entry.'),
  moments: z
    .array(moment)
    .describe('One for each chapter of the video; without chapters, for each part of the transcript.'),
  transcriptSource,
});
