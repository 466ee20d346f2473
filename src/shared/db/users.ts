import { sql } from 'kysely';
import { createId } from '../ids.ts';
import { countActiveKeysByUser } from './api-keys.ts';
import { type Actor, operator, recordAudit } from './audit-log.ts';
import { type Db, inTransaction } from './client.ts';
import type { LicenseRow, UserRow } from './account-tables.ts';
import type { Plan } from '../config-values.ts';

export interface NewUser {
  email: string;
  name: string;
  role: 'user' | 'admin';
  /** As better-auth hashes it; null for a user who cannot sign in with a password. */
  passwordHash: string | null;
}

/** What better-auth keeps of a user who signs in with a password. */
const passwordOf = (userId: string, hash: string) => ({
  id: createId(),
  user_id: userId,
  account_id: userId,
  provider_id: 'credential',
  password: hash,
});

/** @returns null when the address is taken. */
export async function createUser(db: Db, user: NewUser): Promise<UserRow | null> {
  return await inTransaction(db, async (trx) => {
    const row = await trx
      .insertInto('users')
      // better-auth looks addresses up in lower case.
      .values({ id: createId(), name: user.name, email: user.email.toLowerCase(), role: user.role })
      .onConflict((conflict) => conflict.expression(sql`lower(email)`).doNothing())
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) return null;
    if (user.passwordHash !== null) {
      await trx.insertInto('accounts').values(passwordOf(row.id, user.passwordHash)).execute();
    }
    return row;
  });
}

export async function findUserByEmail(db: Db, email: string): Promise<UserRow | undefined> {
  return await db
    .selectFrom('users')
    .selectAll()
    .where(sql`lower(email)`, '=', email.toLowerCase())
    .executeTakeFirst();
}

export async function findUser(db: Db, id: string): Promise<UserRow | undefined> {
  return await db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function findLicense(db: Db, userId: string): Promise<LicenseRow | undefined> {
  return await db.selectFrom('licenses').selectAll().where('user_id', '=', userId).executeTakeFirst();
}

/** A license counts while it has begun, has not ended and is not revoked. */
export function isLicenseValid(license: LicenseRow | undefined, now = new Date()): license is LicenseRow {
  return (
    license !== undefined &&
    license.revoked_at === null &&
    license.valid_from <= now &&
    (license.valid_until === null || license.valid_until > now)
  );
}

export interface LicenseTerms extends Plan {
  /** Of the plan. */
  name: string;
  validUntil: Date | null;
}

/** Grants the plan, or changes to it; the user's existing keys get its rate limits from the next request on. */
export async function grantLicense(
  db: Db,
  userId: string,
  terms: LicenseTerms,
  by: Actor = operator,
): Promise<LicenseRow> {
  const values = {
    plan: terms.name,
    rate_limit: terms.rateLimit,
    user_rate_limit: terms.userRateLimit,
    max_concurrent_jobs: terms.maxConcurrentJobs,
    max_keys: terms.maxKeys,
    max_tokens_per_day: terms.maxTokensPerDay,
    valid_from: new Date(),
    valid_until: terms.validUntil,
    revoked_at: null,
  };
  return await inTransaction(db, async (trx) => {
    // Takes turns with the creation of keys, or a new key could keep the old rate limit.
    await trx.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().execute();
    const license = await trx
      .insertInto('licenses')
      .values({ user_id: userId, ...values })
      .onConflict((conflict) => conflict.column('user_id').doUpdateSet(values))
      .returningAll()
      .executeTakeFirstOrThrow();
    await trx
      .updateTable('api_keys')
      .set({ rate_limit: terms.rateLimit, user_rate_limit: terms.userRateLimit })
      .where('id', 'in', (eb) =>
        // In the order of the ids, as every change of many keys has it: else two could wait for each other.
        eb.selectFrom('api_keys').select('id').where('user_id', '=', userId).orderBy('id').forNoKeyUpdate(),
      )
      .execute();
    const details = { plan: terms.name, validUntil: terms.validUntil };
    await recordAudit(trx, { ...by, userId, action: 'license.granted', details });
    return license;
  });
}

/** Existing keys keep working at their last rate limit. @returns undefined when there is no license. */
export async function revokeLicense(
  db: Db,
  userId: string,
  by: Actor = operator,
): Promise<LicenseRow | undefined> {
  return await inTransaction(db, async (trx) => {
    const license = await trx
      .selectFrom('licenses')
      .selectAll()
      .where('user_id', '=', userId)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (license === undefined || license.revoked_at !== null) return license;
    await recordAudit(trx, { ...by, userId, action: 'license.revoked' });
    return await trx
      .updateTable('licenses')
      .set({ revoked_at: sql<Date>`now()` })
      .where('user_id', '=', userId)
      .returningAll()
      .executeTakeFirst();
  });
}

export interface ListedUser {
  user: UserRow;
  license: LicenseRow | null;
  /** Those that count towards `maxKeys`. */
  activeKeys: number;
}

/** In the order of their creation. `after`: id of the last user of the page before. */
export async function listUsers(
  db: Db,
  { limit, after }: { limit?: number; after?: string | undefined } = {},
): Promise<ListedUser[]> {
  const users = await db
    .selectFrom('users')
    .selectAll()
    .$if(after !== undefined, (query) => query.where('id', '>', after ?? ''))
    .orderBy('id')
    .$if(limit !== undefined, (query) => query.limit(limit ?? 0))
    .execute();
  if (users.length === 0) return [];
  const ids = users.map((user) => user.id);
  const [licenses, counts] = await Promise.all([
    db.selectFrom('licenses').selectAll().where('user_id', 'in', ids).execute(),
    countActiveKeysByUser(db, ids),
  ]);
  const licenseOf = new Map(licenses.map((license) => [license.user_id, license]));
  return users.map((user) => ({
    user,
    license: licenseOf.get(user.id) ?? null,
    activeKeys: counts.get(user.id) ?? 0,
  }));
}

/** @returns undefined when there is no such user. */
export async function makeAdmin(db: Db, userId: string): Promise<UserRow | undefined> {
  return await db
    .updateTable('users')
    .set({ role: 'admin', updated_at: new Date() })
    .where('id', '=', userId)
    .returningAll()
    .executeTakeFirst();
}

/** Ends the user's sessions too: whoever knew the old password is out. */
export async function setPassword(db: Db, userId: string, passwordHash: string): Promise<void> {
  await inTransaction(db, async (trx) => {
    await trx
      .insertInto('accounts')
      .values(passwordOf(userId, passwordHash))
      .onConflict((conflict) =>
        conflict
          .columns(['provider_id', 'account_id'])
          .doUpdateSet({ password: passwordHash, updated_at: new Date() }),
      )
      .execute();
    await trx.deleteFrom('sessions').where('user_id', '=', userId).execute();
  });
}
