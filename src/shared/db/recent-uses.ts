import { sql } from 'kysely';
import { idNotBefore } from '../ids.ts';
import type { Db } from './client.ts';

/** How many uses there were at one millisecond since the epoch. */
export interface UsesAt {
  at: number;
  /** Of the allowance. */
  ofKey: number;
  /** Of all keys of the user, deleted ones among them. */
  ofUser: number;
}

export interface RecentUses {
  userId: string;
  allowanceId: string;
  windowSeconds: number;
  /** Jobs that are left out: they are under way and counted otherwise. */
  except: readonly string[];
}

/** Of this process and of Postgres; a row's id is made by the one, its time by the other. */
const clocksDifferByMs = 5 * 60_000;

/**
 * The counted uses of the window, oldest first. Each has left the row of its job, which was committed before the
 * client heard of it: whatever Redis forgets, and however often, they are all here.
 */
export async function listRecentUses(db: Db, asked: RecentUses): Promise<UsesAt[]> {
  const { userId, allowanceId, windowSeconds, except } = asked;
  const since = sql`now() - ${windowSeconds} * interval '1 second'`;
  const firstId = idNotBefore(Date.now() - windowSeconds * 1_000 - clocksDifferByMs);
  // A deleted key of a rotation is known from its usage only.
  const { rows } = await sql<UsesAt>`
    with keys as (
      select id from api_keys where user_id = ${userId} and allowance_id = ${allowanceId}
      union
      select key_id from key_usage where allowance_id = ${allowanceId} and minute > ${since} - interval '1 minute'
    )
    select floor(extract(epoch from created_at) * 1000)::bigint as at,
      count(*) filter (where key_id in (select id from keys)) as "ofKey", count(*) as "ofUser"
    from jobs
    where user_id = ${userId} and parent_id is null and id >= ${firstId}
      and key_id is not null and created_at > ${since} and id <> all(${except}::uuid[])
    group by 1 order by 1`.execute(db);
  return rows;
}
