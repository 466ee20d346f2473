import { sql } from 'kysely';
import { idNotBefore } from '../ids.ts';
import type { KeyCipher } from '../keys/key-cipher.ts';
import { countActiveKeys, createApiKey, type KeyRights, keyStatusOf, rightsOf } from './api-keys.ts';
import { type Actor, operator, recordAudit } from './audit-log.ts';
import { type Db, inTransaction } from './client.ts';
import type { ApiKeyRow, LicenseRow } from './account-tables.ts';
import { findLicense, isLicenseValid } from './users.ts';

export const gracePeriodHours = 24 as const;
/** Of one user: so many, or twice as many as a larger plan has keys. Each rotation leaves a row that is accepted for a day. */
const perHour = { 'key.created': 300, 'key.rotated': 30 };
const perHourOfKey = 2;
/** Revoked and expired keys of one user, the newest; of more the oldest are deleted first, their usage and audit log stay. */
const keptInactiveKeys = 1_000;
/** Of keys that were rotated and are still accepted, the newest: a large plan may make tens of thousands a day. */
const shownGraceKeys = 1_000;
/** What the listed ones of either kind come to, with the notes and rights that their owner has written. */
const shownBytes = 1024 * 1024;
/** At a time: a change of keys must not wait for many. */
const deletedAtOnce = 20;

export type Made = { row: ApiKeyRow; text: string };

export type CreateOutcome =
  | ({ outcome: 'created' } & Made)
  | { outcome: 'no license' }
  | { outcome: 'too many keys'; license: LicenseRow }
  | TooOften;

/** As often as it can be done in an hour. */
export interface TooOften {
  outcome: 'too often';
  retryAfterSeconds: number;
}

/** Checks the license and its bound on keys; requests of one user take turns, so that none slips past the bound. */
export async function createLicensedKey(
  db: Db,
  cipher: KeyCipher,
  key: { userId: string; name: string; expiresAt: Date | null; rights?: KeyRights },
  by: Actor = operator,
): Promise<CreateOutcome> {
  return await inTransaction(db, async (trx) => {
    await trx.selectFrom('users').select('id').where('id', '=', key.userId).forNoKeyUpdate().execute();
    const license = await findLicense(trx, key.userId);
    if (!isLicenseValid(license)) return { outcome: 'no license' };
    if ((await countActiveKeys(trx, key.userId)) >= license.max_keys) {
      return { outcome: 'too many keys', license };
    }
    // Whoever holds a user's session must not keep the operator from making a key.
    const tooOften = by.actorId === null ? null : await findTooOften(trx, key.userId, 'key.created');
    if (tooOften !== null) return tooOften;
    const made = await createApiKey(trx, cipher, {
      ...key,
      rateLimit: license.rate_limit,
      userRateLimit: license.user_rate_limit,
    });
    await deleteOldestInactive(trx, key.userId);
    const { name, userId, rights } = key;
    const details = { name, ...presentRights(rights) };
    await recordAudit(trx, { ...by, userId, action: 'key.created', keyId: made.row.id, details });
    return { outcome: 'created', ...made };
  });
}

const isInactive = sql<boolean>`(revoked_at is not null or coalesce(least(expires_at, grace_period_ends_at) <= now(), false))`;

/** Where there are more than are kept. */
async function deleteOldestInactive(db: Db, userId: string): Promise<void> {
  await sql`
    delete from api_keys where id in (
      select id from api_keys
      where user_id = ${userId} and ${isInactive}
      order by id limit (
        select least(${deletedAtOnce}, greatest(0, count(*) - ${keptInactiveKeys})) from api_keys
        where user_id = ${userId} and ${isInactive}
      )
    )`.execute(db);
}

/** What is set, for the audit log: not what its owner has noted of it. */
const presentRights = (rights: { [Name in keyof KeyRights]?: KeyRights[Name] | undefined } | undefined) => ({
  ...(rights?.scopes === undefined ? {} : { scopes: rights.scopes }),
  ...(rights?.allowedAddresses === undefined ? {} : { allowedAddresses: rights.allowedAddresses }),
});

/** Holds from the next request on, in every API process. @returns undefined when there is no such key. */
export async function changeKey(
  db: Db,
  { id, userId }: { id: string; userId: string },
  change: { [Name in keyof KeyRights]?: KeyRights[Name] | undefined } & { name?: string | undefined },
  by: Actor,
): Promise<ApiKeyRow | undefined> {
  const { name, scopes, allowedAddresses, metadata } = change;
  return await inTransaction(db, async (trx) => {
    const row = await trx
      .updateTable('api_keys')
      .set((eb) => ({
        revision: eb('revision', '+', 1),
        ...(name === undefined ? {} : { name }),
        ...(scopes === undefined ? {} : { scopes }),
        ...(allowedAddresses === undefined ? {} : { allowed_addresses: allowedAddresses }),
        ...(metadata === undefined ? {} : { metadata: metadata === null ? null : JSON.stringify(metadata) }),
      }))
      .where('id', '=', id)
      .where('user_id', '=', userId)
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const details = { ...(name === undefined ? {} : { name }), ...presentRights(change) };
    await recordAudit(trx, { ...by, userId, action: 'key.changed', keyId: id, details });
    return row;
  });
}

export type RotateOutcome =
  | ({ outcome: 'rotated'; gracePeriodEndsAt: Date } & Made)
  | { outcome: 'not found' }
  | { outcome: 'inactive'; status: 'grace' | 'revoked' | 'expired' }
  | TooOften;

/** Null where it may be done once more. A deleted key counts: the audit log has its entry. */
async function findTooOften(db: Db, userId: string, action: keyof typeof perHour): Promise<TooOften | null> {
  // The log of older ones, which may be long, is not read; clocks differ by minutes.
  const oldest = idNotBefore(Date.now() - 2 * 3_600_000);
  const { rows } = await sql<{ seconds: number }>`
    select greatest(1, ceil(extract(epoch from at + interval '1 hour' - now())))::int as seconds from audit_log
    where user_id = ${userId} and id >= ${oldest} and action = ${action} and at > now() - interval '1 hour'
      and not coalesce(details::jsonb ? 'rotatedFromId', false)
    order by id desc limit 1
    offset greatest(${perHour[action]}, ${perHourOfKey} *
      coalesce((select max_keys from licenses where user_id = ${userId}), 0)) - 1`.execute(db);
  return rows[0] === undefined ? null : { outcome: 'too often', retryAfterSeconds: rows[0].seconds };
}

/** The new key inherits name, rate limit, expiry, rights and the allowance; the old one is accepted for the grace period, or until it expires. */
export async function rotateKey(
  db: Db,
  cipher: KeyCipher,
  owned: { id: string; userId: string },
  by: Actor = operator,
): Promise<RotateOutcome> {
  return await inTransaction(db, async (trx) => {
    // Owner before key, as a change of plan has it.
    await trx.selectFrom('users').select('id').where('id', '=', owned.userId).forNoKeyUpdate().execute();
    const old = await ownKey(trx, owned).forUpdate().executeTakeFirst();
    if (old === undefined) return { outcome: 'not found' };
    const status = keyStatusOf(old);
    if (status !== 'active') return { outcome: 'inactive', status };
    const tooOften = await findTooOften(trx, owned.userId, 'key.rotated');
    if (tooOften !== null) return tooOften;
    const made = await createApiKey(trx, cipher, {
      userId: old.user_id,
      name: old.name,
      rateLimit: old.rate_limit,
      userRateLimit: old.user_rate_limit,
      expiresAt: old.expires_at,
      allowanceId: old.allowance_id,
      rights: rightsOf(old),
    });
    const { grace_period_ends_at } = await trx
      .updateTable('api_keys')
      .set({
        rotated_at: sql<Date>`now()`,
        rotated_to_id: made.row.id,
        grace_period_ends_at: sql<Date>`least(now() + ${gracePeriodHours} * interval '1 hour', expires_at)`,
      })
      .where('id', '=', old.id)
      .returning(sql<Date>`grace_period_ends_at`.as('grace_period_ends_at'))
      .executeTakeFirstOrThrow();
    await deleteOldestInactive(trx, old.user_id);
    const entry = { ...by, userId: old.user_id, action: 'key.rotated' } as const;
    await recordAudit(trx, { ...entry, keyId: old.id, details: { rotatedToId: made.row.id } });
    await recordAudit(trx, { ...entry, keyId: made.row.id, details: { rotatedFromId: old.id } });
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

const bytesUpToHere = sql<number>`sum(400 + octet_length(concat(name, metadata, scopes, allowed_addresses))) over (order by id desc)`;

/** Newest first: all that are active, the newest in grace, and of the others the newest, up to `shownBytes` of them. */
export async function listKeys(db: Db, userId: string): Promise<ApiKeyRow[]> {
  const isInGrace = sql<boolean>`(grace_period_ends_at is not null and not ${isInactive})`;
  const newest = (kind: typeof isInactive, most: number) =>
    db
      .selectFrom((eb) =>
        eb
          .selectFrom('api_keys')
          .select(['id', bytesUpToHere.as('bytes')])
          .where('user_id', '=', userId)
          .where(kind)
          .orderBy('id', 'desc')
          .limit(most)
          .as('newest'),
      )
      .select('id');
  return await db
    .selectFrom('api_keys')
    .selectAll()
    .where('user_id', '=', userId)
    .where((eb) =>
      eb.or([
        sql<boolean>`grace_period_ends_at is null and not ${isInactive}`,
        eb('id', 'in', newest(isInGrace, shownGraceKeys)),
        eb('id', 'in', newest(isInactive, keptInactiveKeys).where('bytes', '<=', shownBytes)),
      ]),
    )
    .orderBy('id', 'desc')
    .execute();
}

/** The rows of its usage name the user too and stay. @returns false when there was no such key. */
export async function deleteOwnKey(
  db: Db,
  owned: { id: string; userId: string },
  by: Actor = operator,
): Promise<boolean> {
  return await inTransaction(db, async (trx) => {
    const row = await trx
      .deleteFrom('api_keys')
      .where('id', '=', owned.id)
      .where('user_id', '=', owned.userId)
      .returning('name')
      .executeTakeFirst();
    if (row === undefined) return false;
    const { id: keyId, userId } = owned;
    await recordAudit(trx, { ...by, userId, action: 'key.deleted', keyId, details: { name: row.name } });
    return true;
  });
}
