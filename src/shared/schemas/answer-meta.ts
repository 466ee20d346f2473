import { z } from 'zod';
import { cacheUse, provenance, warning } from './job.ts';

const ms = z.int().min(0).nullable();

/** What stands beside `data` in every enveloped answer. */
export const answerMeta = z
  .object({
    requestId: z.string().describe('As in the header X-Request-Id.'),
    jobId: z.uuid().nullable().describe('The job that made the answer; null where none did.'),
    cache: cacheUse,
    timings: z
      .object({
        queuedMs: ms.describe('From acceptance to the start in a worker.'),
        runMs: ms.describe('From the start to the end.'),
        totalMs: ms.describe('From acceptance to the end.'),
      })
      .describe("The job's times; null where there is no job, or not yet."),
    warnings: z.array(warning).describe('What the answer lacks or had to be cut.'),
    sources: provenance.shape.sources
      .optional()
      .describe('Where the figures come from; only in answers that have figures of others.'),
    cost: provenance.shape.cost.optional(),
  })
  .meta({ id: 'Meta' });
export type AnswerMeta = z.output<typeof answerMeta>;
