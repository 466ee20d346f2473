import { z } from 'zod';
import { defineOperation } from '../../../../../src/shared/operation.ts';

/** Kills the worker that runs it, or blocks its event loop. */
export const poison = defineOperation({
  id: 'test.poison',
  summary: 'Poison',
  description: 'Ends its worker process with SIGKILL, or makes it stand still.',
  queue: 'http',
  route: { method: 'POST', path: '/api/proxy/test/v1/poison' },
  timeoutMs: () => 30_000,
  input: z.strictObject({ ms: z.int().default(0), blockMs: z.int().default(0) }),
  output: z.object({}),
  errors: [],
});
