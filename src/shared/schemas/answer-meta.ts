import { z } from 'zod';
import { cacheUse, provenance, warning } from './job.ts';

const ms = z.int().min(0).nullable();

/** What stands beside `data` in every enveloped answer. */
export const answerMeta = z
  .object({
    requestId: z.string().describe('The same as the header X-Request-Id.'),
    jobId: z.uuid().nullable().describe('The job that made the answer; null if none did.'),
    cache: cacheUse,
    timings: z
      .object({
        queuedMs: ms.describe('Milliseconds from acceptance to the start in a worker.'),
        runMs: ms.describe('Milliseconds from the start to the end.'),
        totalMs: ms.describe('Milliseconds from acceptance to the end.'),
      })
      .describe('Times of the job; null without a job, and for what has not happened yet.'),
    warnings: z.array(warning).describe('What is missing in the answer, or had to be cut.'),
    sources: provenance.shape.sources
      .optional()
      .describe('Where the figures come from; only in answers with figures from other sources.'),
    cost: provenance.shape.cost.optional(),
  })
  .meta({ id: 'Meta' });
export type AnswerMeta = z.output<typeof answerMeta>;
