import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { keyFields, keyId } from '../../schemas/api-key.ts';

const time = z.iso.datetime();

export const getKey = defineOperation({
  id: 'keys.get',
  summary: 'Get a key',
  description: "One of your keys. Another user's key is not found.",
  route: { method: 'GET', path: '/api/keys/{id}' },
  access: ['session'],
  answer: 'bare',
  input: z.strictObject({ id: keyId }),
  output: z.object({
    key: z.object({
      ...keyFields,
      rotatedAt: time.nullable(),
      gracePeriodEndsAt: time.nullable().describe('When a rotated key stops being accepted.'),
      rotatedToId: z.uuid().nullable().describe('The key that replaced this one.'),
    }),
  }),
  errors: ['not_found'],
});
