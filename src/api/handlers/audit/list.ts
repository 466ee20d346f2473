import { listAudit } from '../../../shared/contracts/audit/list.ts';
import { readAuditPage } from '../../audit-page.ts';
import { defineHandler } from '../../handler.ts';

export default defineHandler(listAudit, async ({ input, principal: { userId }, deps: { db } }) =>
  readAuditPage(db, { ...input, userId }),
);
