import { adminAudit } from '../../../shared/contracts/admin/audit.ts';
import { readAuditPage } from '../../audit-page.ts';
import { defineHandler } from '../../handler.ts';

export default defineHandler(adminAudit, async ({ input, deps: { db } }) => readAuditPage(db, input));
