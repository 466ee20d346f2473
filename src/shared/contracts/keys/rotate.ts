import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { keyId, keySecret } from '../../schemas/api-key.ts';

export const rotateKey = defineOperation({
  id: 'keys.rotate',
  summary: 'Rotate a key',
  description:
    'Makes a new key of the same name, rate limit and expiry. The old one is accepted for 24 hours more, if it does not expire before; both ' +
    'draw on one hourly allowance. Needs no license, so that a leaked key can be replaced. At most 30 times an hour for all keys of a user, or twice as often as their ' +
    'plan has keys where that is more; past it, revoke a key that leaked.',
  route: { method: 'POST', path: '/api/keys/{id}/rotate' },
  access: ['session'],
  answer: 'bare',
  input: z.strictObject({ id: keyId }),
  output: z.object({
    id: z.uuid().describe('Of the new key.'),
    key: keySecret,
    message: z.string(),
    gracePeriodHours: z.literal(24),
    gracePeriodEndsAt: z.iso.datetime().describe('Until when the old key is accepted.'),
  }),
  errors: ['not_found', 'key_inactive', 'too_many_attempts'],
});
