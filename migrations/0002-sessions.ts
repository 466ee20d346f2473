import { type Kysely, sql } from 'kysely';

/** `sessions` and `verifications` are better-auth's; `login_attempts` is ours and shared by all API processes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const statements = [
    sql`
      create table sessions (
        id uuid primary key,
        user_id uuid not null references users on delete cascade,
        token text not null unique,
        expires_at timestamptz not null,
        ip_address text,
        user_agent text,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now()
      )`,
    sql`create index sessions_user on sessions (user_id)`,
    sql`create index sessions_expiry on sessions (expires_at)`,
    sql`
      create table verifications (
        id uuid primary key,
        identifier text not null,
        value text not null,
        expires_at timestamptz not null,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now()
      )`,
    sql`create index verifications_identifier on verifications (identifier)`,
    sql`
      create table login_attempts (
        subject text primary key,
        attempts integer not null,
        window_ends_at timestamptz not null
      )`,
    sql`create index login_attempts_end on login_attempts (window_ends_at)`,
    // better-auth looks addresses up in lower case.
    sql`update users set email = lower(email) where email <> lower(email)`,
    // Keys that `keys reencrypt` has still to do, and the versions that a start has to check.
    sql`create index api_keys_encryption on api_keys (encryption_key_version, id)`,
  ];
  for (const statement of statements) await statement.execute(db);
}
