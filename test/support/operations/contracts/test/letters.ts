import { z } from 'zod';
import { defineOperation } from '../../../../../src/shared/operation.ts';

/** Has a bound of its own for its result, and for those of the parts that it calls. */
export const letters = defineOperation({
  id: 'test.letters',
  summary: 'Letters',
  description: 'Answers so many letters, and how each part fared that was asked for letters.',
  queue: 'http',
  route: { method: 'POST', path: '/api/proxy/test/v1/letters' },
  timeoutMs: () => 60_000,
  maxResultBytes: 1024 ** 2,
  input: z.strictObject({ count: z.int().min(0).default(0), parts: z.array(z.int()).default([]) }),
  output: z.object({ letters: z.string(), parts: z.array(z.string()) }),
  errors: ['target_too_large'],
});
