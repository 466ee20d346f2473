import { z } from 'zod';
import { queueNames } from '../operation.ts';

export const healthChecks = z.object({
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
  browserSandbox: z
    .enum(['on', 'off'])
    .nullable()
    .describe("Chromium's own sandbox: `off` where one runs without; null where none runs."),
});

export const healthReport = z.object({
  status: z.enum(['ok', 'degraded', 'down']),
  version: z.string(),
  checks: healthChecks,
});
