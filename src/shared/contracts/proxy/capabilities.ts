import { z } from 'zod';
import { defineOperation } from '../../operation.ts';

export const capabilities = defineOperation({
  id: 'proxy.capabilities',
  summary: 'What works here',
  description:
    'Every operation that an API key can call, and whether it works in this installation now: which settings are missing and which queues have no worker. Uses none of the allowance.',
  route: { method: 'GET', path: '/api/proxy/capabilities' },
  access: ['key'],
  input: z.strictObject({}),
  output: z.object({
    operations: z.array(
      z.object({
        id: z.string().describe('E.g. `web.scrape`, as jobs name it.'),
        route: z.object({ method: z.string(), path: z.string() }),
        available: z
          .boolean()
          .nullable()
          .describe('Null when it is not known, because Redis, which knows the workers, cannot be reached.'),
        reason: z.string().nullable().describe('Why it is not available, or not known to be.'),
        needs: z
          .array(z.string())
          .describe('Variables of which the operator must set at least one to make it work.'),
      }),
    ),
  }),
  errors: [],
});
