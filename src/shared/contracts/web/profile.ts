import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { license } from '../../schemas/license.ts';

const count = z.int().min(0);

export const profile = defineOperation({
  id: 'web.profile',
  summary: 'Profile',
  description: 'Who the key belongs to, what it may do and what it has used.',
  route: { method: 'GET', path: '/api/proxy/web/v1/profile' },
  access: ['key'],
  input: z.strictObject({}),
  output: z.object({
    user: z.object({
      id: z.uuid(),
      name: z.string(),
      email: z.string(),
      license: license.nullable(),
    }),
    key: z.object({
      id: z.uuid(),
      name: z.string(),
      prefix: z.string(),
      rateLimit: count.describe('Requests in any 3,600 s.'),
      used: count.describe('Counted requests of the last 3,600 s.'),
      remaining: count.describe(
        'Requests left in the hourly allowance of the key or of its user, whichever is smaller.',
      ),
      resetAt: z.iso
        .datetime()
        .nullable()
        .describe(
          'When the next counted request leaves the window of that allowance, so that more is left; null when the window is empty.',
        ),
    }),
    usage: z.object({
      today: count.describe('Counted requests of the user since 00:00 UTC.'),
      last30Days: count,
      byOperation: z
        .array(z.object({ operation: z.string(), count, errors: count }))
        .describe('Counted requests of the user in the last 30 days.'),
    }),
    tokens: z
      .object({
        today: count.describe('Spent on models since 00:00 UTC, and reserved by calls under way.'),
        maxPerDay: count.nullable().describe('Comes from the license; null means no limit.'),
        byModel: z
          .array(z.object({ model: z.string(), inputTokens: count, outputTokens: count }))
          .describe('Counted requests of the user in the last 30 days.'),
      })
      .describe('Tokens that models of providers have used; the built-in model uses none.'),
    jobs: z.object({
      queued: count,
      running: count,
      maxConcurrent: count.nullable().describe('Comes from the license; null without one.'),
    }),
  }),
  errors: ['not_found'],
});
