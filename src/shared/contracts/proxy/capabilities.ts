import { z } from 'zod';
import { defineOperation } from '../../operation.ts';

export const capabilities = defineOperation({
  id: 'proxy.capabilities',
  summary: 'What works here',
  description:
    'Each operation that an API key can call, and whether it works as this service is set up now: what its operator has not set, and which queues have no worker. Costs no allowance.',
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
          .describe('Null where it cannot be told, because Redis, which knows the workers, is away.'),
        reason: z.string().nullable().describe('Why it is not available, or not known to be.'),
        needs: z
          .array(z.string())
          .describe('Variables of which the operator has to set one or more for it to work.'),
      }),
    ),
  }),
  errors: [],
});
