import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { keyFields } from '../../schemas/api-key.ts';

export const validateKey = defineOperation({
  id: 'keys.validate',
  summary: 'Validate a key',
  description:
    'Whether the key in X-API-Key or Authorization: Bearer is accepted. Costs nothing of the allowance. A key ' +
    'that is not accepted is answered with 401 and `{valid: false, error, code}`.',
  route: { method: 'POST', path: '/api/keys/validate' },
  access: ['key'],
  answer: 'bare',
  refusal: 'invalid',
  input: z.strictObject({}),
  output: z.object({
    valid: z.literal(true),
    userId: z.uuid(),
    rateLimit: keyFields.rateLimit,
    isActive: z.literal(true),
    keyId: z.uuid(),
    name: z.string(),
    expiresAt: keyFields.expiresAt,
    remaining: z
      .int()
      .min(0)
      .describe('What is left of the hourly allowances of the key and of its user: the smaller.'),
  }),
  errors: [],
});
