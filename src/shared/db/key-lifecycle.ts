import { sql } from 'kysely';
import type { KeyCipher } from '../keys/key-cipher.ts';
import { countActiveKeys, createApiKey, keyStatusOf } from './api-keys.ts';
import type { Db } from './client.ts';
import type { ApiKeyRow, LicenseRow } from './tables.ts';
import { findLicense, isLicenseValid } from './users.ts';

export const gracePeriodHours = 24 as const;

export type Made = { row: ApiKeyRow; text: string };

export type CreateOutcome =
  | ({ outcome: 'created' } & Made)
  | { outcome: 'no license' }
  | { outcome: 'too many keys'; license: LicenseRow };

/** Checks the license and its bound on keys; requests of one user take turns, so that none slips past the bound. */
export async function createLicensedKey(
  db: Db,
  cipher: KeyCipher,
  key: { userId: string; name: string; expiresAt: Date | null },
): Promise<CreateOutcome> {
  return await db.transaction().execute(async (trx) => {
    await trx.selectFrom('users').select('id').where('id', '=', key.userId).forNoKeyUpdate().execute();
    const license = await findLicense(trx, key.userId);
    if (!isLicenseValid(license)) return { outcome: 'no license' };
    if ((await countActiveKeys(trx, key.userId)) >= license.max_keys) {
      return { outcome: 'too many keys', license };
    }
    const made = await createApiKey(trx, cipher, {
      ...key,
      rateLimit: license.rate_limit,
      userRateLimit: license.user_rate_limit,
    });
    return { outcome: 'created', ...made };
  });
}

export type RotateOutcome =
  | ({ outcome: 'rotated'; gracePeriodEndsAt: Date } & Made)
  | { outcome: 'not found' }
  | { outcome: 'inactive'; status: 'grace' | 'revoked' | 'expired' };

/** The new key inherits name, rate limit, expiry and the allowance; the old one is accepted for the grace period. */
export async function rotateKey(
  db: Db,
  cipher: KeyCipher,
  owned: { id: string; userId: string },
): Promise<RotateOutcome> {
  return await db.transaction().execute(async (trx) => {
    // Owner before key, as a change of plan has it.
    await trx.selectFrom('users').select('id').where('id', '=', owned.userId).forNoKeyUpdate().execute();
    const old = await ownKey(trx, owned).forUpdate().executeTakeFirst();
    if (old === undefined) return { outcome: 'not found' };
    const status = keyStatusOf(old);
    if (status !== 'active') return { outcome: 'inactive', status };
    const made = await createApiKey(trx, cipher, {
      userId: old.user_id,
      name: old.name,
      rateLimit: old.rate_limit,
      userRateLimit: old.user_rate_limit,
      expiresAt: old.expires_at,
      allowanceId: old.allowance_id,
    });
    const { grace_period_ends_at } = await trx
      .updateTable('api_keys')
      .set({
        rotated_at: sql<Date>`now()`,
        rotated_to_id: made.row.id,
        grace_period_ends_at: sql<Date>`now() + ${gracePeriodHours} * interval '1 hour'`,
      })
      .where('id', '=', old.id)
      .returning(sql<Date>`grace_period_ends_at`.as('grace_period_ends_at'))
      .executeTakeFirstOrThrow();
    return { outcome: 'rotated', ...made, gracePeriodEndsAt: grace_period_ends_at };
  });
}

const ownKey = (db: Db, owned: { id: string; userId: string }) =>
  db.selectFrom('api_keys').selectAll().where('id', '=', owned.id).where('user_id', '=', owned.userId);

export async function findOwnKey(
  db: Db,
  owned: { id: string; userId: string },
): Promise<ApiKeyRow | undefined> {
  return await ownKey(db, owned).executeTakeFirst();
}

/** Newest first. */
export async function listKeys(db: Db, userId: string): Promise<ApiKeyRow[]> {
  return await db
    .selectFrom('api_keys')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('id', 'desc')
    .execute();
}

/** The rows of its usage name the user too and stay. @returns false when there was no such key. */
export async function deleteOwnKey(db: Db, owned: { id: string; userId: string }): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('api_keys')
    .where('id', '=', owned.id)
    .where('user_id', '=', owned.userId)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}
