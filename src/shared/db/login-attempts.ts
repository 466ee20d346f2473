import { sql } from 'kysely';
import type { Db } from './client.ts';

export interface AttemptTaken {
  accepted: boolean;
  /** Until the subject's window ends. */
  retryAfterSeconds: number;
}

/**
 * Counts one attempt, before it is known how it ends, so that many at once cannot slip through. The window
 * begins with the subject's first attempt.
 */
export async function takeLoginAttempt(
  db: Db,
  subject: string,
  limit: number,
  windowSeconds: number,
): Promise<AttemptTaken> {
  const row = await db
    .insertInto('login_attempts')
    .values({
      subject,
      attempts: 1,
      window_ends_at: sql<Date>`now() + ${windowSeconds} * interval '1 second'`,
    })
    .onConflict((conflict) =>
      conflict.column('subject').doUpdateSet({
        attempts: sql<number>`case when login_attempts.window_ends_at <= now() then 1 else login_attempts.attempts + 1 end`,
        window_ends_at: sql<Date>`case when login_attempts.window_ends_at <= now() then excluded.window_ends_at else login_attempts.window_ends_at end`,
      }),
    )
    .returning([
      'attempts',
      sql<number>`ceil(extract(epoch from window_ends_at - now()))::int`.as('seconds_left'),
    ])
    .executeTakeFirstOrThrow();
  return { accepted: row.attempts <= limit, retryAfterSeconds: Math.max(1, row.seconds_left) };
}

/** For an attempt that succeeded. */
export async function giveBackLoginAttempt(db: Db, subject: string): Promise<void> {
  await db
    .updateTable('login_attempts')
    .set({ attempts: sql<number>`greatest(attempts - 1, 0)` })
    .where('subject', '=', subject)
    .execute();
}

export async function deleteEndedLoginWindows(db: Db): Promise<void> {
  await db
    .deleteFrom('login_attempts')
    .where('subject', 'in', (eb) =>
      eb
        .selectFrom('login_attempts')
        .select('subject')
        .where('window_ends_at', '<', sql<Date>`now() - interval '1 minute'`)
        .limit(100)
        .forUpdate()
        .skipLocked(),
    )
    .execute();
}
