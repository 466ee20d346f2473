import { z } from 'zod';
import { defineOperation } from '../../../../../src/shared/operation.ts';

/** Steps one after the other, and after each its progress. */
export const steps = defineOperation({
  id: 'test.steps',
  summary: 'Steps',
  description: 'Takes steps that wait.',
  queue: 'http',
  route: { method: 'POST', path: '/api/proxy/test/v1/steps' },
  timeoutMs: () => 60_000,
  input: z.strictObject({ count: z.int().min(1).max(1_000), ms: z.int().min(0) }),
  output: z.object({
    taken: z.int().describe('Also those of earlier runs, and those that were taken again.'),
  }),
  errors: [],
});
