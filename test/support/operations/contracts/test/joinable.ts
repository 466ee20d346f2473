import { z } from 'zod';
import { defineOperation } from '../../../../../src/shared/operation.ts';

/** A GET on a queue, as the video proxy has them: the same one again joins the running job. */
export const joinable = defineOperation({
  id: 'test.joinable',
  summary: 'Joinable',
  description: 'Waits and answers a number that no two runs share.',
  queue: 'http',
  route: { method: 'GET', path: '/api/proxy/test/v1/joinable' },
  timeoutMs: () => 30_000,
  input: z.strictObject({ ms: z.coerce.number().int().min(0).default(0) }),
  output: z.object({ run: z.uuid() }),
  errors: [],
});
