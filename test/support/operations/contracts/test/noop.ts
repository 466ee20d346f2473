import { z } from 'zod';
import { defineOperation } from '../../../../../src/shared/operation.ts';

/** Does nothing, for `ms` milliseconds. */
export const noop = defineOperation({
  id: 'test.noop',
  summary: 'Do nothing',
  description: 'Waits and answers.',
  queue: 'http',
  route: { method: 'POST', path: '/api/proxy/test/v1/noop' },
  timeoutMs: (input) => input.ms + 30_000,
  input: z.strictObject({ ms: z.int().min(0).default(0), tag: z.string().default('') }),
  output: z.object({ tag: z.string(), pid: z.int() }),
  errors: [],
});
