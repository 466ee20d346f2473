import { sql } from 'kysely';
import type { Db } from './client.ts';

/**
 * Counts one attempt, before it is known how it ends, so that many at once cannot slip through. The window
 * begins with the subject's first attempt. One that is refused is not counted.
 * @returns null, or the seconds until the window ends.
 */
export async function takeLoginAttempt(
  db: Db,
  subject: string,
  limit: number,
  windowSeconds: number,
): Promise<number | null> {
  const windowEndsAt = sql`now() + ${windowSeconds} * interval '1 second'`;
  const { rows: taken } = await sql`
    insert into login_attempts (subject, attempts, window_ends_at) values (${subject}, 1, ${windowEndsAt})
    on conflict (subject) do update set
      attempts = case when login_attempts.window_ends_at <= now() then 1 else login_attempts.attempts + 1 end,
      window_ends_at = case when login_attempts.window_ends_at <= now() then excluded.window_ends_at
        else login_attempts.window_ends_at end
    where login_attempts.window_ends_at <= now() or login_attempts.attempts < ${limit}
    returning 1`.execute(db);
  if (taken.length > 0) return null;
  return (await secondsOfFullWindow(db, subject, limit)) ?? 1;
}

/** @returns the seconds until the window ends; null where it has, or has room. */
export async function secondsOfFullWindow(db: Db, subject: string, limit: number): Promise<number | null> {
  const { rows } = await sql<{ seconds: number }>`
    select ceil(extract(epoch from window_ends_at - now()))::int as seconds from login_attempts
    where subject = ${subject} and attempts >= ${limit} and window_ends_at > now()`.execute(db);
  return rows[0] === undefined ? null : Math.max(1, rows[0].seconds);
}

export interface Delay {
  /** Attempts before the first delay; it doubles with each further one. */
  freeAttempts: number;
  firstSeconds: number;
  longestSeconds: number;
  /** Without an attempt. */
  forgottenAfterSeconds: number;
}

/** Counts an attempt, unless the last one was too short ago for how many there were. @returns null, or the seconds to wait. */
export async function takeDelayedAttempt(
  db: Db,
  subject: string,
  { freeAttempts, firstSeconds, longestSeconds, forgottenAfterSeconds }: Delay,
): Promise<number | null> {
  const forgotten = sql`${forgottenAfterSeconds} * interval '1 second'`;
  // The window ends so long after the last attempt.
  const freeAt = sql`login_attempts.window_ends_at - ${forgotten} + interval '1 second'
    * least(${firstSeconds} * 2.0 ^ least(login_attempts.attempts - ${freeAttempts}, 20), ${longestSeconds})`;
  // Not now(): who has waited for the row began before the attempt that it waited for.
  const { rows: taken } = await sql`
    insert into login_attempts (subject, attempts, window_ends_at) values (${subject}, 1, now() + ${forgotten})
    on conflict (subject) do update set
      attempts = case when login_attempts.window_ends_at <= now() then 1 else login_attempts.attempts + 1 end,
      window_ends_at = clock_timestamp() + ${forgotten}
    where login_attempts.attempts < ${freeAttempts} or clock_timestamp() >= ${freeAt}
    returning 1`.execute(db);
  if (taken.length > 0) return null;
  const { rows } = await sql<{ seconds: number }>`
    select ceil(extract(epoch from ${freeAt} - now()))::int as seconds from login_attempts
    where subject = ${subject}`.execute(db);
  return Math.max(1, rows[0]?.seconds ?? 1);
}

/** For an attempt that succeeded. */
export async function giveBackLoginAttempt(db: Db, subject: string): Promise<void> {
  await db
    .updateTable('login_attempts')
    .set({ attempts: sql<number>`greatest(attempts - 1, 0)` })
    .where('subject', '=', subject)
    .execute();
}

/** Opens the subject's window, or makes it last so long from now on. */
export async function openLoginWindow(db: Db, subject: string, seconds: number): Promise<void> {
  await sql`
    insert into login_attempts (subject, attempts, window_ends_at)
    values (${subject}, 0, now() + ${seconds} * interval '1 second')
    on conflict (subject) do update set window_ends_at = excluded.window_ends_at`.execute(db);
}

export async function hasLoginWindow(db: Db, subject: string): Promise<boolean> {
  const found = await db
    .selectFrom('login_attempts')
    .select('subject')
    .where('subject', '=', subject)
    .where('window_ends_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
  return found !== undefined;
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
