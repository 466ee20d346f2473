import { type RawBuilder, sql } from 'kysely';
import type { JobEventKind } from '../../db/tables.ts';

/** A job that a transition has changed, to be announced. */
export interface JobChange {
  id: string;
  userId: string;
}

/** One that has ended by it, to be counted as well. */
export interface JobEnded extends JobChange {
  operation: string;
  status: string;
  /** Of the failure; null where it has not failed. */
  code: string | null;
}

export const changeOf = (row: { id: string; user_id: string }): JobChange => ({
  id: row.id,
  userId: row.user_id,
});

/**
 * For a CTE: writes the event of each row of `changed`, a CTE of the statement that changes them, with `id`,
 * `user_id` and `parent_id`. So row and event are one commit, and the number is taken while the row is locked:
 * of two events of a job the later one has the greater number.
 *
 * Parts of a job have no events. Clients never see them; a batch of a hundred pages would write hundreds that nobody
 * reads. What they do to their job is its own `progress`.
 * @param kind the event, or an expression of the columns of `changed`.
 */
export function writeEvents(changed: string, kind: JobEventKind | RawBuilder<string>): RawBuilder<never> {
  return sql`(
    insert into job_events (job_id, user_id, kind)
    select id, user_id, ${typeof kind === 'string' ? sql.lit(kind) : kind} from ${sql.ref(changed)}
    where parent_id is null
  )`;
}
