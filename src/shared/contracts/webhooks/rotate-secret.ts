import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { webhookSecret as secret } from '../../schemas/webhook.ts';

export const rotateWebhookSecret = defineOperation({
  id: 'webhooks.rotate-secret',
  summary: 'Replace the secret of your webhooks',
  description:
    'For 24 hours every message carries signatures of both secrets, so that receivers have time to change.',
  route: { method: 'POST', path: '/api/webhooks/secret/rotate' },
  access: ['key', 'session'],
  answer: 'bare',
  input: z.strictObject({}),
  output: secret,
  errors: [],
});
