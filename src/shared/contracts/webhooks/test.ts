import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { webhookDelivery } from '../../schemas/webhook.ts';

export const testWebhook = defineOperation({
  id: 'webhooks.test',
  summary: 'Send a test webhook',
  description:
    'Sends a message of type `webhook.test`, once; at most 60 per hour. The outcome is in the list of deliveries.',
  route: { method: 'POST', path: '/api/webhooks/test' },
  access: ['key', 'session'],
  answer: 'bare',
  status: 201,
  input: z.strictObject({
    url: z
      .string()
      .min(1)
      .max(2_048)
      .describe('The URL to send it to.')
      .meta({ examples: ['https://receiver.example/quarry'] }),
  }),
  output: z.object({ delivery: webhookDelivery }),
  errors: ['url_not_allowed', 'rate_limited'],
});
