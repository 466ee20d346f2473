import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { auditEntries, auditPage, auditUserId } from '../../schemas/audit.ts';

export const adminAudit = defineOperation({
  id: 'admin.audit',
  summary: 'Audit log',
  description: 'Entries of all users, or of one, newest first.',
  route: { method: 'GET', path: '/api/admin/audit' },
  access: ['admin'],
  answer: 'bare',
  input: z.strictObject({
    userId: auditUserId,
    ...auditPage,
  }),
  output: auditEntries,
  errors: [],
});
