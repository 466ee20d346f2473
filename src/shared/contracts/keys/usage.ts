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
    totalUsageCount: count.describe('Since the key was made, not of these days only.'),
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
        .describe('When a counted request leaves the window, so that more is left; null when none is in it.'),
    }),
    byOperation: z
      .array(z.object({ operation: z.string(), count, errors: count }))
      .describe('Of these days. `errors`: those whose job failed.'),
  }),
  errors: ['not_found'],
});
