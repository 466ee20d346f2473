import { z } from 'zod';
import { defineOperation } from '../../../../../src/shared/operation.ts';

/** Runs for as long as a test wants. */
export const hold = defineOperation({
  id: 'test.hold',
  summary: 'Hold',
  description: 'Ends when a file is there.',
  queue: 'http',
  route: { method: 'POST', path: '/api/proxy/test/v1/hold' },
  timeoutMs: () => 300_000,
  input: z.strictObject({ until: z.string() }),
  output: z.object({ pid: z.int() }),
  errors: [],
});
