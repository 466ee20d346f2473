import { z } from 'zod';
import { defineOperation } from '../../../../../src/shared/operation.ts';

/** Three waves of children: one, then some at once, then one of what came; with a step in between. */
export const waves = defineOperation({
  id: 'test.waves',
  summary: 'Three waves',
  description: 'Calls leaves in three waves.',
  queue: 'http',
  route: { method: 'POST', path: '/api/proxy/test/v1/waves' },
  timeoutMs: () => 60_000,
  input: z.strictObject({
    value: z.int(),
    width: z.int().min(1).max(50).default(3),
    ms: z.int().default(0),
    failAt: z.int().nullable().default(null),
    /** Catches what leaves the handler, as no handler should. */
    careless: z.boolean().default(false),
  }),
  output: z.object({
    first: z.int(),
    middle: z.array(z.int().nullable()),
    last: z.int(),
    /** Made in a step: the same in every run. */
    stamp: z.uuid(),
  }),
  errors: ['selector_not_found'],
});
