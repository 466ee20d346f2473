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
        workers: z.int().describe('Worker processes seen in the last few seconds.'),
        waiting: z.int(),
        active: z.int(),
      }),
    )
    .nullable()
    .describe(
      'By queue, for the queues that operations use; null while Postgres or Redis cannot be reached.',
    ),
  browserSandbox: z
    .enum(['on', 'off'])
    .nullable()
    .describe('The sandbox of Chromium: `off` if any Chromium runs without it; null if none runs.'),
});

export const healthReport = z.object({
  status: z.enum(['ok', 'degraded', 'down']),
  version: z.string(),
  checks: healthChecks,
});
