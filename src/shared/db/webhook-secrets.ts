import { sql } from 'kysely';
import { createId } from '../ids.ts';
import { type Actor, recordAudit } from './audit-log.ts';
import { type Db, inTransaction } from './client.ts';

export interface WebhookSecretRow {
  id: string;
  created_at: Date;
  /** Until when it signs beside its successor; null of the one that is current. */
  retires_at: Date | null;
}

/** A user who rotates more often than that a day does so on purpose; each one is a signature of each message. */
const mostSigning = 5;

const ofUser = (db: Db, userId: string) =>
  db
    .selectFrom('webhook_secrets')
    .select(['id', 'created_at', 'retires_at'])
    .where('user_id', '=', userId)
    .where((eb) => eb.or([eb('retires_at', 'is', null), eb('retires_at', '>', sql<Date>`now()`)]))
    .orderBy('id', 'desc')
    .limit(mostSigning);

/** One at a time makes a user's secret: else a first one could be made while it is rotated, and two be current. */
const lockUser = (trx: Db, userId: string) =>
  trx.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().execute();

/** Those that sign now, the current one first; the first call makes it. */
export async function listSigningSecrets(db: Db, userId: string): Promise<WebhookSecretRow[]> {
  const rows = await ofUser(db, userId).execute();
  if (rows.length > 0) return rows;
  await inTransaction(db, async (trx) => {
    await lockUser(trx, userId);
    await trx
      .insertInto('webhook_secrets')
      .values({ id: createId(), user_id: userId, retires_at: null })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  });
  return await ofUser(db, userId).execute();
}

/** A new current secret; the last one signs for `graceHours` more. */
export async function rotateWebhookSecret(
  db: Db,
  userId: string,
  graceHours: number,
  by: Actor,
): Promise<void> {
  await inTransaction(db, async (trx) => {
    await lockUser(trx, userId);
    await trx
      .updateTable('webhook_secrets')
      .set({ retires_at: sql<Date>`now() + ${graceHours} * interval '1 hour'` })
      .where('user_id', '=', userId)
      .where('retires_at', 'is', null)
      .execute();
    await trx
      .insertInto('webhook_secrets')
      .values({ id: createId(), user_id: userId, retires_at: null })
      .execute();
    await recordAudit(trx, { ...by, userId, action: 'webhook-secret.rotated' });
  });
}

/** Deletes secrets that sign no more. @returns how many, at most 500. */
export async function deleteRetiredSecrets(db: Db): Promise<number> {
  const { rows } = await sql`
    delete from webhook_secrets where id in (
      select id from webhook_secrets where retires_at <= now() limit 500 for update skip locked
    ) returning 1`.execute(db);
  return rows.length;
}
