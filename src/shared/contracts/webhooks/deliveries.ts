import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { cursor, nextCursor } from '../../schemas/page-cursor.ts';
import { queryInteger } from '../../schemas/query-integer.ts';
import { webhookDelivery, webhookStatuses } from '../../schemas/webhook.ts';

export const webhookDeliveries = defineOperation({
  id: 'webhooks.deliveries',
  summary: 'List webhook deliveries',
  description: 'Your messages of the last week, newest first, with every attempt and its answer.',
  route: { method: 'GET', path: '/api/webhooks/deliveries' },
  access: ['key', 'session'],
  answer: 'bare',
  input: z.strictObject({
    status: z.enum(webhookStatuses).optional().describe('Only messages in this state.'),
    jobId: z
      .uuid()
      .optional()
      .describe('Only the message about this job.')
      .meta({ examples: ['0197f3c2-8d3a-7c41-b6f2-2f3f1d0a9e55'] }),
    limit: queryInteger({ min: 1, max: 100, default: 20 }).describe('Messages on one page.'),
    cursor,
  }),
  output: z.object({
    deliveries: z.array(webhookDelivery),
    nextCursor,
  }),
  errors: [],
});
