import { z } from 'zod';
import { defineOperation } from '../../../../../src/shared/operation.ts';

/** Chains of leaves side by side, each with a step after each leaf; and leaves that take no such number. */
export const chains = defineOperation({
  id: 'test.chains',
  summary: 'Chains',
  description: 'Calls leaves in several chains at the same time.',
  queue: 'http',
  route: { method: 'POST', path: '/api/proxy/test/v1/chains' },
  timeoutMs: () => 60_000,
  input: z.strictObject({
    width: z.int().min(0).max(10_000),
    length: z.int().min(0).max(10),
    /** How many numbers beside the chains a leaf refuses. */
    unfit: z.int().default(0),
  }),
  output: z.object({
    ends: z.array(z.int()),
    /** How often each step was run, by its name. */
    stepRuns: z.record(z.string(), z.int()),
    /** What the first run and a later one were answered by one step. */
    stored: z.array(z.unknown()),
    unfit: z.array(z.string()),
  }),
  errors: ['invalid_request'],
});
