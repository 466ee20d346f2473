import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { license } from '../../schemas/license.ts';

export const grantLicense = defineOperation({
  id: 'admin.grant-license',
  summary: 'Grant or change a license',
  description:
    "Puts the user on a plan. The rate limit of the user's existing keys follows at their next request.",
  route: { method: 'PUT', path: '/api/admin/users/{id}/license' },
  access: ['admin'],
  answer: 'bare',
  input: z.strictObject({
    id: z
      .string()
      .describe('Of the user.')
      .meta({ examples: ['0197f3c2-8d3a-7c41-b6f2-2f3f1d0a9e55'] }),
    plan: z
      .string()
      .min(1)
      .max(100)
      .describe('A plan of the configuration.')
      .meta({ examples: ['pro'] }),
    validUntil: z.iso
      .datetime({ offset: true, abort: true })
      .refine((text) => Date.parse(text) > Date.now(), { error: 'must be in the future', abort: true })
      .nullable()
      .default(null)
      .describe('When the license ends; null: never.'),
  }),
  output: z.object({ license }),
  errors: ['not_found'],
});
