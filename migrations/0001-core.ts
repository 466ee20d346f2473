import { type Kysely, sql } from 'kysely';

/** Users, licenses, keys, their usage, jobs and blobs. `users` and `accounts` are better-auth's tables. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const statements = [
    sql`
      create table users (
        id uuid primary key,
        name text not null,
        email text not null,
        email_verified boolean not null default false,
        image text,
        role text not null default 'user' check (role in ('user', 'admin')),
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now()
      )`,
    sql`create unique index users_email on users (lower(email))`,
    sql`
      create table accounts (
        id uuid primary key,
        user_id uuid not null references users on delete cascade,
        account_id text not null,
        provider_id text not null,
        password text,
        access_token text,
        refresh_token text,
        id_token text,
        access_token_expires_at timestamptz,
        refresh_token_expires_at timestamptz,
        scope text,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        unique (provider_id, account_id)
      )`,
    sql`create index accounts_user on accounts (user_id)`,
    sql`
      create table licenses (
        user_id uuid primary key references users on delete cascade,
        plan text not null,
        rate_limit integer not null check (rate_limit > 0),
        max_concurrent_jobs integer not null check (max_concurrent_jobs > 0),
        max_keys integer not null check (max_keys > 0),
        valid_from timestamptz not null default now(),
        valid_until timestamptz,
        revoked_at timestamptz
      )`,
    sql`
      create table api_keys (
        id uuid primary key,
        user_id uuid not null references users on delete cascade,
        name text not null,
        lookup_id text not null unique,
        encrypted_hash bytea not null,
        nonce bytea not null,
        encryption_key_version integer not null,
        allowance_id uuid not null,
        rate_limit integer not null check (rate_limit > 0),
        rotated_at timestamptz,
        rotated_to_id uuid references api_keys on delete set null,
        grace_period_ends_at timestamptz,
        revoked_at timestamptz,
        expires_at timestamptz,
        last_used_at timestamptz,
        usage_count bigint not null default 0,
        created_at timestamptz not null default now()
      )`,
    sql`create index api_keys_user on api_keys (user_id, id desc)`,
    // No reference to api_keys: a user's usage outlives the key that made it.
    sql`
      create table key_usage (
        key_id uuid not null,
        minute timestamptz not null,
        operation text not null,
        user_id uuid not null references users on delete cascade,
        allowance_id uuid not null,
        count integer not null,
        errors integer not null default 0,
        primary key (key_id, minute, operation)
      )`,
    sql`create index key_usage_allowance on key_usage (allowance_id, minute)`,
    sql`create index key_usage_user on key_usage (user_id, minute)`,
    sql`
      create table usage_cursor (
        singleton boolean primary key default true check (singleton),
        stream_id text not null
      )`,
    sql`insert into usage_cursor (stream_id) values ('0-0')`,
    sql`
      create table blobs (
        id uuid primary key,
        content_type text not null,
        size_bytes integer not null,
        sha256 bytea not null,
        bytes bytea not null,
        created_at timestamptz not null default now()
      )`,
    // Pictures do not compress, and compressing large HTML costs more time than its space is worth.
    sql`alter table blobs alter column bytes set storage external`,
    // Jobs outlive the key that started them, and blobs are deleted together with their row's reference: no
    // reference is checked at each insert.
    sql`
      create table jobs (
        id uuid primary key,
        user_id uuid not null references users on delete cascade,
        key_id uuid,
        operation text not null,
        queue text not null,
        input json not null,
        input_hash bytea not null,
        parent_id uuid references jobs on delete cascade,
        ordinal integer,
        pending_children integer not null default 0,
        total_children integer not null default 0,
        generation integer not null default 0,
        status text not null default 'queued'
          check (status in ('queued', 'running', 'waiting', 'succeeded', 'failed', 'canceled', 'expired')),
        lease_token uuid,
        lease_expires_at timestamptz,
        run_at timestamptz not null default now(),
        rung_at timestamptz,
        timeout_ms integer not null,
        deadline_at timestamptz,
        attempts integer not null default 0,
        crashes integer not null default 0,
        retries integer not null default 0,
        steps json,
        progress json,
        warnings json,
        error json,
        result_blob_id uuid,
        image_blob_id uuid,
        idempotency_key text,
        request_hash bytea,
        request_id text,
        created_at timestamptz not null default now(),
        started_at timestamptz,
        finished_at timestamptz,
        expires_at timestamptz,
        unique (parent_id, ordinal),
        check ((parent_id is null) = (ordinal is null))
      )`,
    sql`create index jobs_own on jobs (user_id, id desc) where parent_id is null`,
    sql`create unique index jobs_idempotency on jobs (user_id, idempotency_key) where idempotency_key is not null`,
    sql`create index jobs_queued on jobs (queue, run_at) where status = 'queued'`,
    sql`create index jobs_live on jobs (user_id, status) where status in ('queued', 'running', 'waiting')`,
    sql`create index jobs_leases on jobs (lease_expires_at) where status = 'running'`,
    sql`create index jobs_waiting on jobs (deadline_at) where status = 'waiting'`,
    sql`create index jobs_expiry on jobs (expires_at) where expires_at is not null`,
    // A user's rows that workers were told of, and those that wait for their turn.
    sql`create index jobs_rung on jobs (user_id) where rung_at is not null and status in ('queued', 'running')`,
    sql`create index jobs_unrung on jobs (user_id, id) where rung_at is null and status = 'queued'`,
  ];
  for (const statement of statements) await statement.execute(db);
}
