import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { keyId } from '../../schemas/api-key.ts';

export const revokeKey = defineOperation({
  id: 'keys.revoke',
  summary: 'Revoke a key',
  description:
    'The key is refused from the next request on. Repeating it changes nothing; a key that replaced it by ' +
    'rotation is not touched.',
  route: { method: 'POST', path: '/api/keys/{id}/revoke' },
  access: ['session'],
  answer: 'bare',
  input: z.strictObject({ id: keyId }),
  output: z.object({ success: z.literal(true), message: z.string() }),
  errors: ['not_found'],
});
