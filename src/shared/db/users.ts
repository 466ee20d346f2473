import { sql } from 'kysely';
import { createId } from '../ids.ts';
import type { Db } from './client.ts';
import type { LicenseRow, UserRow } from './tables.ts';
import type { Plan } from '../config.ts';

export interface NewUser {
  email: string;
  name: string;
  role: 'user' | 'admin';
  /** As better-auth hashes it; null for a user who cannot sign in with a password. */
  passwordHash: string | null;
}

/** @returns null when the address is taken. */
export async function createUser(db: Db, user: NewUser): Promise<UserRow | null> {
  return await db.transaction().execute(async (trx) => {
    const row = await trx
      .insertInto('users')
      // better-auth looks addresses up in lower case.
      .values({ id: createId(), name: user.name, email: user.email.toLowerCase(), role: user.role })
      .onConflict((conflict) => conflict.expression(sql`lower(email)`).doNothing())
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) return null;
    if (user.passwordHash !== null) {
      await trx
        .insertInto('accounts')
        .values({
          id: createId(),
          user_id: row.id,
          account_id: row.id,
          provider_id: 'credential',
          password: user.passwordHash,
        })
        .execute();
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

/** Grants the plan, or changes to it; the user's existing keys get its rate limit from the next request on. */
export async function grantLicense(
  db: Db,
  userId: string,
  planName: string,
  plan: Plan,
): Promise<LicenseRow> {
  const terms = {
    plan: planName,
    rate_limit: plan.rateLimit,
    max_concurrent_jobs: plan.maxConcurrentJobs,
    max_keys: plan.maxKeys,
    valid_from: new Date(),
    valid_until: null,
    revoked_at: null,
  };
  return await db.transaction().execute(async (trx) => {
    const license = await trx
      .insertInto('licenses')
      .values({ user_id: userId, ...terms })
      .onConflict((conflict) => conflict.column('user_id').doUpdateSet(terms))
      .returningAll()
      .executeTakeFirstOrThrow();
    await trx
      .updateTable('api_keys')
      .set({ rate_limit: plan.rateLimit })
      .where('user_id', '=', userId)
      .execute();
    return license;
  });
}

/** Existing keys keep working at their last rate limit. @returns undefined when there is no license. */
export async function revokeLicense(db: Db, userId: string): Promise<LicenseRow | undefined> {
  return await db
    .updateTable('licenses')
    .set((eb) => ({ revoked_at: eb.fn.coalesce('revoked_at', sql<Date>`now()`) }))
    .where('user_id', '=', userId)
    .returningAll()
    .executeTakeFirst();
}

export async function listUsers(db: Db): Promise<(UserRow & { plan: string | null; active_keys: number })[]> {
  return await db
    .selectFrom('users')
    .leftJoin('licenses', (join) =>
      join.onRef('licenses.user_id', '=', 'users.id').on('licenses.revoked_at', 'is', null),
    )
    .selectAll('users')
    .select('licenses.plan')
    .select((eb) =>
      eb
        .selectFrom('api_keys')
        .whereRef('api_keys.user_id', '=', 'users.id')
        .where('api_keys.revoked_at', 'is', null)
        .select((count) => count.fn.countAll<number>().as('count'))
        .as('active_keys'),
    )
    .orderBy('users.id')
    .execute()
    .then((rows) => rows.map((row) => ({ ...row, active_keys: row.active_keys ?? 0 })));
}
