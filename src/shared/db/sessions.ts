import { sql } from 'kysely';
import type { Db } from './client.ts';

/** better-auth deletes a session that has ended only where its cookie is shown again. @returns how many, at most 500. */
export async function deleteEndedSessions(db: Db): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('sessions')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('sessions')
        .select('id')
        .where('expires_at', '<', sql<Date>`now()`)
        .limit(500)
        .forUpdate()
        .skipLocked(),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}
