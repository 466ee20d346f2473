import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { keyId } from '../../schemas/api-key.ts';

export const deleteKey = defineOperation({
  id: 'keys.delete',
  summary: 'Delete a key',
  description:
    'The key is refused from the next request on and disappears from the list. Your usage history and results stay.',
  route: { method: 'DELETE', path: '/api/keys/{id}' },
  access: ['session'],
  answer: 'bare',
  input: z.strictObject({ id: keyId }),
  output: z.object({ success: z.literal(true) }),
  errors: ['not_found'],
});
