import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { keyFields } from '../../schemas/api-key.ts';

export const validateKey = defineOperation({
  id: 'keys.validate',
  summary: 'Validate a key',
  description:
    'Tells whether the key in X-API-Key or Authorization: Bearer is accepted. Uses none of the allowance. A key ' +
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
      .describe('Requests left in the hourly allowance of the key or of its user, whichever is smaller.'),
  }),
  errors: [],
});
