import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { webhookSecret as secret } from '../../schemas/webhook.ts';

export const webhookSecret = defineOperation({
  id: 'webhooks.secret',
  summary: 'The secret that signs your webhooks',
  description: 'Made by the first call. Any library for Standard Webhooks can check signatures with it.',
  route: { method: 'GET', path: '/api/webhooks/secret' },
  access: ['key', 'session'],
  answer: 'bare',
  input: z.strictObject({}),
  output: secret,
  errors: [],
});
