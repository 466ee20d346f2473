import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { auditEntries, auditPage } from '../../schemas/audit.ts';

export const listAudit = defineOperation({
  id: 'audit.list',
  summary: 'Your audit log',
  description:
    'What was done with your keys, license, sign-ins and the secret of your webhooks: who, when, from where. Newest first.',
  route: { method: 'GET', path: '/api/audit' },
  access: ['session'],
  answer: 'bare',
  input: z.strictObject({
    ...auditPage,
  }),
  output: auditEntries,
  errors: [],
});
