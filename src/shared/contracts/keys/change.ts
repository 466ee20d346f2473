import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { keyFields, keyId, keyRights } from '../../schemas/api-key.ts';

export const changeKey = defineOperation({
  id: 'keys.change',
  summary: 'Change a key',
  description:
    'What is not given stays as it is. Holds from the next request on; open feeds are ended where it takes the right.',
  route: { method: 'PATCH', path: '/api/keys/{id}' },
  access: ['session'],
  answer: 'bare',
  input: z.strictObject({
    id: keyId,
    name: z
      .string()
      .min(1)
      .max(100)
      .regex(/\S/, 'A name of spaces only tells nothing')
      .trim()
      .optional()
      .describe('For you, to tell your keys apart.')
      .meta({ examples: ['Production'] }),
    ...keyRights,
  }),
  output: z.object({ key: z.object(keyFields) }),
  errors: ['not_found'],
});
