import { z } from 'zod';
import { cursor, nextCursor } from '../../schemas/page-cursor.ts';
import { queryInteger } from '../../schemas/query-integer.ts';
import { defineOperation } from '../../operation.ts';
import { license } from '../../schemas/license.ts';

export const listUsers = defineOperation({
  id: 'admin.users',
  summary: 'List users',
  description: 'All users with their license, in the order in which they were created.',
  route: { method: 'GET', path: '/api/admin/users' },
  access: ['admin'],
  answer: 'bare',
  input: z.strictObject({
    limit: queryInteger({ min: 1, max: 1_000, default: 100 }).describe('Users on one page.'),
    cursor,
  }),
  output: z.object({
    users: z.array(
      z.object({
        id: z.uuid(),
        email: z.string(),
        name: z.string(),
        role: z.enum(['user', 'admin']),
        license: license.nullable(),
        activeKeys: z.int().min(0),
        createdAt: z.iso.datetime(),
      }),
    ),
    nextCursor,
  }),
  errors: [],
});
