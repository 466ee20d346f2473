import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { license } from '../../schemas/license.ts';

export const revokeLicense = defineOperation({
  id: 'admin.revoke-license',
  summary: 'Revoke a license',
  description:
    'The user can create no more keys. Existing keys keep working at their last rate limit and can be rotated. ' +
    'Repeating it changes nothing.',
  route: { method: 'DELETE', path: '/api/admin/users/{id}/license' },
  access: ['admin'],
  answer: 'bare',
  input: z.strictObject({
    id: z
      .string()
      .describe('Of the user.')
      .meta({ examples: ['0197f3c2-8d3a-7c41-b6f2-2f3f1d0a9e55'] }),
  }),
  output: z.object({ license }),
  errors: ['not_found'],
});
