import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { keyFields, keyPreviewField } from '../../schemas/api-key.ts';

export const listKeys = defineOperation({
  id: 'keys.list',
  summary: 'List keys',
  description:
    'Your keys, newest first, including revoked and expired ones until they are deleted; the newest 1,000 of these are kept, and those that come after 1 MiB of their names, notes and rights are left out. Of the keys that were rotated and are still accepted, the newest 1,000 are listed. GET /api/keys/{id} answers any of them.',
  route: { method: 'GET', path: '/api/keys' },
  access: ['session'],
  answer: 'bare',
  input: z.strictObject({
    viewAs: z
      .string()
      .optional()
      .describe('Admins only: the id of the user whose keys are listed.')
      .meta({ examples: ['0197f3c2-8d3a-7c41-b6f2-2f3f1d0a9e55'] }),
  }),
  output: z.object({ keys: z.array(z.object({ ...keyFields, keyPreview: keyPreviewField })) }),
  errors: ['forbidden', 'not_found'],
});
