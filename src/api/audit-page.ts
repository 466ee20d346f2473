import { listAudit } from '../shared/db/audit-log.ts';
import type { Db } from '../shared/db/client.ts';

interface AuditQuestion {
  userId?: string | undefined;
  keyId?: string | undefined;
  limit: number;
  cursor?: string | undefined;
}

/** One page of the audit log, as clients see it. */
export async function readAuditPage(db: Db, { userId, keyId, limit, cursor }: AuditQuestion) {
  const rows = await listAudit(db, { userId, keyId, limit: limit + 1, before: cursor });
  const page = rows.slice(0, limit);
  return {
    entries: page.map((row) => ({
      id: row.id,
      at: row.at.toISOString(),
      action: row.action,
      userId: row.user_id,
      actorId: row.actor_id,
      keyId: row.key_id,
      address: row.address,
      details: row.details,
    })),
    nextCursor: rows.length > limit ? (page.at(-1)?.id ?? null) : null,
  };
}
