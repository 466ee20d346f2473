import { z } from 'zod';
import { defineOperation } from '../../../../../src/shared/operation.ts';

/** After `ms` milliseconds, kills the worker that runs it, or blocks its event loop; or spares it, and says which it was. */
export const poison = defineOperation({
  id: 'test.poison',
  summary: 'Poison',
  description: 'Ends its worker process with SIGKILL, or makes it stand still, or spares it.',
  queue: 'http',
  route: { method: 'POST', path: '/api/proxy/test/v1/poison' },
  timeoutMs: () => 30_000,
  input: z.strictObject({
    ms: z.int().default(0),
    blockMs: z.int().default(0),
    spares: z.boolean().default(false),
  }),
  output: z.object({ pid: z.int() }),
  errors: [],
});
