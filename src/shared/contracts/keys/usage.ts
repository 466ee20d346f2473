import { z } from 'zod';
import { queryInteger } from '../../schemas/query-integer.ts';
import { defineOperation } from '../../operation.ts';
import { keyId } from '../../schemas/api-key.ts';

const count = z.int().min(0);

export const keyUsage = defineOperation({
  id: 'keys.usage',
  summary: 'Usage of a key',
  description: 'Counted requests of one key by day and by operation, and the state of its hourly allowance.',
  route: { method: 'GET', path: '/api/keys/{id}/usage' },
  access: ['session'],
  answer: 'bare',
  input: z.strictObject({
    id: keyId,
    days: queryInteger({ min: 1, max: 30, default: 7 }).describe('Today (UTC) and the days before it.'),
  }),
  output: z.object({
    dailyUsage: z
      .array(z.object({ date: z.iso.date(), count }))
      .describe('One entry a day (UTC), oldest first, also for days without a request.'),
    totalUsageCount: count.describe('Counted since the key was made, not only on these days.'),
    rateLimit: z.object({
      limit: count,
      used: count.describe(
        'Counted requests of the last 3,600 s, by this key and those it was rotated from.',
      ),
      remaining: count,
      windowHours: z.literal(1),
      resetAt: z.iso
        .datetime()
        .nullable()
        .describe(
          'When the next counted request leaves the window, so that more is left; null when the window is empty.',
        ),
    }),
    byOperation: z
      .array(z.object({ operation: z.string(), count, errors: count }))
      .describe('Requests on these days; `errors` are those whose job failed.'),
  }),
  errors: ['not_found'],
});
