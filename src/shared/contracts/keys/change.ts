import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { keyFields, keyId, keyName, keyRights } from '../../schemas/api-key.ts';

export const changeKey = defineOperation({
  id: 'keys.change',
  summary: 'Change a key',
  description:
    'Fields that are left out stay as they are. The change takes effect with the next request; open feeds that the key may no longer read are closed.',
  route: { method: 'PATCH', path: '/api/keys/{id}' },
  access: ['session'],
  answer: 'bare',
  input: z.strictObject({
    id: keyId,
    name: keyName.optional(),
    ...keyRights,
  }),
  output: z.object({ key: z.object(keyFields) }),
  errors: ['not_found'],
});
