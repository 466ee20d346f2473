import { type Kysely, sql } from 'kysely';

/** What a key may do and from where, and who has done what. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const statements = [
    sql`
      alter table api_keys
        add column scopes text[],
        add column allowed_addresses text[],
        add column metadata json,
        add column revision integer not null default 0`,
    // No references: it outlives what it tells of.
    sql`
      create table audit_log (
        id uuid primary key,
        at timestamptz not null default now(),
        user_id uuid,
        actor_id uuid,
        action text not null,
        key_id uuid,
        address text,
        details json
      )`,
    sql`create index audit_log_user on audit_log (user_id, id)`,
    sql`create index audit_log_key on audit_log (key_id, id) where key_id is not null`,
    sql`create index audit_log_age on audit_log (at)`,
  ];
  for (const statement of statements) await statement.execute(db);
}
