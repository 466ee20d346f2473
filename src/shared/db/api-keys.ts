import { type ExpressionBuilder, type RawBuilder, sql } from 'kysely';
import { createId } from '../ids.ts';
import type { KeyCipher } from '../keys/key-cipher.ts';
import { createKeyText } from '../keys/key-text.ts';
import { type Db, inTransaction } from './client.ts';
import { type Actor, operator, recordAudit } from './audit-log.ts';
import type { ApiKeyRow, KeyMetadata } from './account-tables.ts';
import type { Database } from './tables.ts';

export type KeyStatus = 'active' | 'grace' | 'revoked' | 'expired';

/** The key is accepted while it is `active` or in `grace`. */
export function keyStatusOf(key: ApiKeyRow, now = new Date()): KeyStatus {
  if (key.revoked_at !== null) return 'revoked';
  if (key.expires_at !== null && key.expires_at <= now) return 'expired';
  if (key.grace_period_ends_at === null) return 'active';
  return key.grace_period_ends_at > now ? 'grace' : 'expired';
}

export interface NewApiKey {
  userId: string;
  name: string;
  rateLimit: number;
  userRateLimit: number;
  expiresAt: Date | null;
  /** Of the key that this one replaces; without it the key gets an allowance of its own. */
  allowanceId?: string;
  rights?: KeyRights;
}

/** What a key may do and from where, and what its owner has noted of it. Null: no bound, no notes. */
export interface KeyRights {
  scopes: string[] | null;
  allowedAddresses: string[] | null;
  metadata: KeyMetadata | null;
}

export const rightsOf = (row: ApiKeyRow): KeyRights => ({
  scopes: row.scopes,
  allowedAddresses: row.allowed_addresses,
  metadata: row.metadata,
});

/** The text is in the answer and nowhere else: only its sealed hash is stored. */
export async function createApiKey(
  db: Db,
  cipher: KeyCipher,
  key: NewApiKey,
): Promise<{ row: ApiKeyRow; text: string }> {
  const { text, lookupId } = createKeyText();
  const id = createId();
  const sealed = cipher.seal(id, text);
  const row = await db
    .insertInto('api_keys')
    .values({
      id,
      user_id: key.userId,
      name: key.name,
      lookup_id: lookupId,
      encrypted_hash: sealed.encryptedHash,
      nonce: sealed.nonce,
      encryption_key_version: sealed.version,
      allowance_id: key.allowanceId ?? id,
      rate_limit: key.rateLimit,
      user_rate_limit: key.userRateLimit,
      expires_at: key.expiresAt,
      scopes: key.rights?.scopes ?? null,
      allowed_addresses: key.rights?.allowedAddresses ?? null,
      metadata: key.rights?.metadata ? JSON.stringify(key.rights.metadata) : null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return { row, text };
}

export async function findApiKeyByLookupId(db: Db, lookupId: string): Promise<ApiKeyRow | undefined> {
  return (await findApiKeysByLookupId(db, [lookupId])).get(lookupId);
}

/** By lookup id; those that are unknown are not in it. */
export async function findApiKeysByLookupId(
  db: Db,
  lookupIds: readonly string[],
): Promise<Map<string, ApiKeyRow>> {
  const { rows } = await sql<ApiKeyRow>`-- prepared: find-keys
    select * from api_keys where lookup_id = any((select ${lookupIds}::text[])::text[])`.execute(db);
  return new Map(rows.map((row) => [row.lookup_id, row]));
}

/**
 * The rate limits, its own and its user's, and the revision of a key that is accepted now; null of any other. For an `exists`, Postgres
 * may read all keys.
 */
export const acceptedLimitsOf = (keyId: RawBuilder<unknown>) => sql<[number, number, number] | null>`(
    select array[rate_limit, user_rate_limit, revision] from api_keys
    where id = ${keyId} and revoked_at is null
      and (expires_at is null or expires_at > now())
      and (grace_period_ends_at is null or grace_period_ends_at > now())
  )`;

const isAccepted = (eb: ExpressionBuilder<Database, 'api_keys'>) =>
  eb.and([
    eb('revoked_at', 'is', null),
    eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', sql<Date>`now()`)]),
    eb.or([eb('grace_period_ends_at', 'is', null), eb('grace_period_ends_at', '>', sql<Date>`now()`)]),
  ]);

/** Keys that count towards `maxKeys`: accepted and not replaced by a rotation. Users without one are not in it. */
export async function countActiveKeysByUser(
  db: Db,
  userIds: readonly string[],
): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('api_keys')
    .select((eb) => ['user_id', eb.fn.countAll<number>().as('count')])
    .where('user_id', 'in', userIds)
    .where('grace_period_ends_at', 'is', null)
    .where(isAccepted)
    .groupBy('user_id')
    .execute();
  return new Map(rows.map((row) => [row.user_id, row.count]));
}

export async function countActiveKeys(db: Db, userId: string): Promise<number> {
  return (await countActiveKeysByUser(db, [userId])).get(userId) ?? 0;
}

/**
 * Refused from the next request on, in every API process.
 * @param userId only if it is the owner.
 * @returns undefined when there is no such key.
 */
export async function revokeApiKey(
  db: Db,
  id: string,
  userId?: string,
  by: Actor = operator,
): Promise<ApiKeyRow | undefined> {
  return await inTransaction(db, async (trx) => {
    const revoked = await trx
      .updateTable('api_keys')
      .set({ revoked_at: sql<Date>`now()` })
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .$if(userId !== undefined, (query) => query.where('user_id', '=', userId ?? ''))
      .returningAll()
      .executeTakeFirst();
    if (revoked !== undefined) {
      await recordAudit(trx, { ...by, userId: revoked.user_id, action: 'key.revoked', keyId: id });
      return revoked;
    }
    return await trx
      .selectFrom('api_keys')
      .selectAll()
      .where('id', '=', id)
      .$if(userId !== undefined, (query) => query.where('user_id', '=', userId ?? ''))
      .executeTakeFirst();
  });
}
