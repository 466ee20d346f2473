import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { keyId, keySecret } from '../../schemas/api-key.ts';

export const rotateKey = defineOperation({
  id: 'keys.rotate',
  summary: 'Rotate a key',
  description:
    'Makes a new key with the same name, rate limit and expiry. The old one is accepted for another 24 hours, unless it expires earlier; ' +
    'both draw on one hourly allowance. Needs no license, so that a leaked key can always be replaced. A user can rotate 30 keys an hour, ' +
    'or twice the number of keys in the plan, whichever is more; beyond that, revoke a leaked key instead.',
  route: { method: 'POST', path: '/api/keys/{id}/rotate' },
  access: ['session'],
  answer: 'bare',
  input: z.strictObject({ id: keyId }),
  output: z.object({
    id: z.uuid().describe('Of the new key.'),
    key: keySecret,
    message: z.string(),
    gracePeriodHours: z.literal(24),
    gracePeriodEndsAt: z.iso.datetime().describe('When the old key stops being accepted.'),
  }),
  errors: ['not_found', 'key_inactive', 'too_many_attempts'],
});
