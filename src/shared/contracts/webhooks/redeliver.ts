import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { webhookDelivery } from '../../schemas/webhook.ts';

export const redeliverWebhook = defineOperation({
  id: 'webhooks.redeliver',
  summary: 'Deliver a webhook again',
  description:
    'Sends the message at once, with the same `webhook-id`, and retries for a day, with at most 100 attempts in all. A message that is being sent right now is answered unchanged.',
  route: { method: 'POST', path: '/api/webhooks/deliveries/{id}/redeliver' },
  access: ['key', 'session'],
  answer: 'bare',
  input: z.strictObject({
    id: z
      .string()
      .describe('Id of the delivery.')
      .meta({ examples: ['0197f3c2-8d3a-7c41-b6f2-2f3f1d0a9e55'] }),
  }),
  output: z.object({ delivery: webhookDelivery }),
  errors: ['not_found'],
});
