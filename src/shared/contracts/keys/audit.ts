import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { keyId } from '../../schemas/api-key.ts';
import { auditEntries, auditPage } from '../../schemas/audit.ts';

export const keyAudit = defineOperation({
  id: 'keys.audit',
  summary: 'Audit log of a key',
  description: 'Who made, changed, rotated, revoked or deleted it, when, and from where. Newest first.',
  route: { method: 'GET', path: '/api/keys/{id}/audit' },
  access: ['session'],
  answer: 'bare',
  input: z.strictObject({
    id: keyId,
    ...auditPage,
  }),
  output: auditEntries,
  errors: ['not_found'],
});
