import { sql } from 'kysely';
import type { Db } from './client.ts';

/** For how long a service's answer is asked for only once. */
const keptFor = '1 day';

export async function findSeoAnswer(db: Db, key: Buffer): Promise<{ answer: string; storedAt: Date } | null> {
  const { rows } = await sql<{ answer: string; storedAt: Date }>`
    select answer, stored_at as "storedAt" from seo_answers
    where key = ${key} and stored_at > now() - ${keptFor}::interval`.execute(db);
  return rows[0] ?? null;
}

export async function keepSeoAnswer(db: Db, key: Buffer, answer: string): Promise<void> {
  await sql`
    insert into seo_answers (key, answer) values (${key}, ${answer.replaceAll('\0', '')})
    on conflict (key) do update set answer = excluded.answer, stored_at = now()`.execute(db);
}

export async function deleteOldSeoAnswers(db: Db): Promise<void> {
  await sql`delete from seo_answers where stored_at < now() - ${keptFor}::interval`.execute(db);
}
