import { z } from 'zod';
import { defineOperation, queueNames } from '../../operation.ts';

export const healthz = defineOperation({
  id: 'web.healthz',
  summary: 'Health',
  description:
    'State of the service and its queues. `degraded`: a queue has no worker or results cannot be stored, answered 200; `down`: Postgres or Redis is away, answered 503.',
  route: { method: 'GET', path: '/api/proxy/web/v1/healthz' },
  access: ['key'],
  otherStatuses: [503],
  input: z.strictObject({}),
  output: z.object({
    status: z.enum(['ok', 'degraded', 'down']),
    version: z.string(),
    checks: z.object({
      postgres: z.enum(['ok', 'down']),
      redis: z.enum(['ok', 'down']),
      storage: z.enum(['ok', 'down']).describe('Whether results can be stored; jobs wait while it is down.'),
      queues: z
        .partialRecord(
          z.enum(queueNames),
          z.object({
            workers: z.int().describe('Worker processes seen in the last seconds.'),
            waiting: z.int(),
            active: z.int(),
          }),
        )
        .nullable()
        .describe('Per queue that an operation uses; null while Postgres or Redis is away.'),
    }),
  }),
  errors: [],
});
