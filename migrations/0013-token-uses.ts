import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table licenses add column max_tokens_per_day bigint`.execute(db);
  await sql`
    create table token_uses (
      id uuid primary key,
      user_id uuid not null references users (id) on delete cascade,
      model text not null,
      at timestamptz not null default now(),
      input_tokens integer not null default 0,
      output_tokens integer not null default 0,
      reserved_tokens integer not null,
      reserved_until timestamptz
    )`.execute(db);
  await sql`create index token_uses_of_user on token_uses (user_id, at)`.execute(db);
}
