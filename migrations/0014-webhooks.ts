import { type Kysely, sql } from 'kysely';

/** Messages about the end of jobs, to receivers that their users have named. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const statements = [
    sql`alter table jobs add column webhook json`,
    sql`
      create table webhook_secrets (
        id uuid primary key,
        user_id uuid not null references users (id) on delete cascade,
        created_at timestamptz not null default now(),
        retires_at timestamptz
      )`,
    sql`create unique index webhook_secrets_current on webhook_secrets (user_id) where retires_at is null`,
    sql`create index webhook_secrets_user on webhook_secrets (user_id, id)`,
    // The id of a job's message is the job's: a job ends once. No reference to jobs, which may be deleted before.
    sql`
      create table webhook_deliveries (
        id uuid primary key,
        user_id uuid not null references users (id) on delete cascade,
        job_id uuid,
        type text not null,
        url text not null,
        receiver text not null,
        origin text not null,
        status text not null default 'pending' check (status in ('pending', 'delivered', 'failed', 'stopped')),
        attempts jsonb not null default '[]',
        tries integer not null default 0,
        created_at timestamptz not null default now(),
        next_attempt_at timestamptz not null default now(),
        claim_token uuid,
        claimed_at timestamptz
      )`,
    sql`
      create index webhook_deliveries_due on webhook_deliveries (user_id, receiver, next_attempt_at)
      where status = 'pending'`,
    sql`create index webhook_deliveries_user on webhook_deliveries (user_id, id)`,
    sql`create index webhook_deliveries_age on webhook_deliveries (created_at) where status <> 'pending'`,
    // Those that do not answer; a row goes when they do.
    sql`
      create table webhook_receivers (
        user_id uuid not null references users (id) on delete cascade,
        receiver text not null,
        failures integer not null,
        open_until timestamptz,
        primary key (user_id, receiver)
      )`,
  ];
  for (const statement of statements) await statement.execute(db);
}
