import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { modelErrors, tokenUsage } from '../../schemas/summary.ts';

/** Internal: a model's words for what a review has found. On the queue of models, so that none holds a reviewer. */
export const narrateReview = defineOperation({
  id: 'review.narrate',
  summary: 'Narrate a review',
  description: 'Writes the findings of a review as prose.',
  queue: 'ai',
  route: null,
  timeoutMs: () => 600_000,
  input: z.strictObject({
    model: z.string(),
    findings: z.string().describe('The findings as plain sentences, in order.'),
  }),
  output: z.object({ text: z.string(), usage: tokenUsage }),
  errors: modelErrors,
});
