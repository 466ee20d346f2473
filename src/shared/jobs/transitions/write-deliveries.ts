import { type RawBuilder, sql } from 'kysely';

/**
 * For a CTE: writes the message about the end of each row of `ended`, a CTE of the statement that ends them, with `id`,
 * `user_id`, `status` and `webhook`, where somebody is to be told. So whoever sees the end finds the message to be sent.
 */
export function writeDeliveries(ended: string): RawBuilder<never> {
  return sql`(
    insert into webhook_deliveries (id, user_id, job_id, type, url, receiver, origin)
    select id, user_id, id, 'job.' || status, webhook ->> 'url', webhook ->> 'receiver', webhook ->> 'origin'
    from ${sql.ref(ended)} where webhook is not null and status in ('succeeded', 'failed', 'canceled')
  )`;
}
