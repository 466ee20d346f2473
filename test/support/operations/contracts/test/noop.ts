import { z } from 'zod';
import { defineOperation } from '../../../../../src/shared/operation.ts';

/** Does nothing, for `ms` milliseconds; or warns, and fails. */
export const noop = defineOperation({
  id: 'test.noop',
  summary: 'Do nothing',
  description: 'Waits and answers.',
  queue: 'http',
  route: { method: 'POST', path: '/api/proxy/test/v1/noop' },
  timeoutMs: (input) => input.ms + 30_000,
  input: z.strictObject({
    ms: z.int().min(0).default(0),
    fail: z.boolean().default(false),
    tag: z.string().default(''),
  }),
  output: z.object({ tag: z.string(), pid: z.int() }),
  errors: ['selector_not_found'],
});
