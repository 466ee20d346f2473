import { sql } from 'kysely';
import { createId } from '../ids.ts';
import type { Db } from './client.ts';
import type { AuditAction, AuditRow } from './account-tables.ts';

/** Who does something, and from where. */
export interface Actor {
  /** Null: the operator, at the command line; or nobody who is known. */
  actorId: string | null;
  address: string | null;
}

export const operator: Actor = { actorId: null, address: null };

export interface AuditEntry extends Actor {
  /** Whose it is; null where that is not known. */
  userId: string | null;
  action: AuditAction;
  keyId?: string;
  /** Never a secret. */
  details?: Record<string, unknown>;
}

/** To be called in the transaction that does what it tells. */
export async function recordAudit(db: Db, entry: AuditEntry): Promise<void> {
  const { userId, actorId, address, action, keyId, details } = entry;
  await db
    .insertInto('audit_log')
    .values({
      id: createId(),
      user_id: userId,
      actor_id: actorId,
      action,
      key_id: keyId ?? null,
      address,
      details: details === undefined ? null : JSON.stringify(details),
    })
    .execute();
}

export interface AuditListing {
  userId?: string | undefined;
  keyId?: string | undefined;
  limit: number;
  /** Id of the last entry of the page before. */
  before?: string | undefined;
}

/** Newest first. */
export async function listAudit(db: Db, { userId, keyId, limit, before }: AuditListing): Promise<AuditRow[]> {
  return await db
    .selectFrom('audit_log')
    .selectAll()
    .$if(userId !== undefined, (query) => query.where('user_id', '=', userId ?? ''))
    .$if(keyId !== undefined, (query) => query.where('key_id', '=', keyId ?? ''))
    .$if(before !== undefined, (query) => query.where('id', '<', before ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

const keptDays = 400;

/** Deletes entries of more than a year ago. @returns how many, at most 500. */
export async function deleteOldAudit(db: Db): Promise<number> {
  const { rows } = await sql`
    delete from audit_log where id in (
      select id from audit_log where at < now() - ${keptDays} * interval '1 day' limit 500 for update skip locked
    ) returning 1`.execute(db);
  return rows.length;
}
