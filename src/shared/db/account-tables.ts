import type { ColumnType, Generated, Selectable } from 'kysely';
import type { GeneratedTimestamp, Json, Timestamp } from './column-types.ts';

export interface UsersTable {
  id: string;
  name: string;
  email: string;
  email_verified: Generated<boolean>;
  image: string | null;
  role: Generated<'user' | 'admin'>;
  created_at: GeneratedTimestamp;
  updated_at: GeneratedTimestamp;
}

export interface AccountsTable {
  id: string;
  user_id: string;
  account_id: string;
  provider_id: string;
  password: string | null;
  created_at: GeneratedTimestamp;
  updated_at: GeneratedTimestamp;
}

/** better-auth's; we only end them. */
export interface SessionsTable {
  id: string;
  user_id: string;
  token: string;
  expires_at: Timestamp;
}

export interface LoginAttemptsTable {
  /** `account:<hash of the e-mail address>`, `address:<client address>`, or both. */
  subject: string;
  attempts: number;
  window_ends_at: Timestamp;
}

export interface LicensesTable {
  user_id: string;
  plan: string;
  rate_limit: number;
  user_rate_limit: number;
  max_concurrent_jobs: number;
  max_keys: number;
  /** bigint: text. */
  max_tokens_per_day: ColumnType<string | null, number | null, number | null>;
  valid_from: GeneratedTimestamp;
  valid_until: Timestamp | null;
  revoked_at: Timestamp | null;
}

/** Calls of models: what they have taken, or reserved while they are under way. */
export interface TokenUsesTable {
  id: string;
  user_id: string;
  model: string;
  at: GeneratedTimestamp;
  input_tokens: Generated<number>;
  output_tokens: Generated<number>;
  reserved_tokens: number;
  reserved_until: Timestamp | null;
}

export interface ApiKeysTable {
  id: string;
  user_id: string;
  name: string;
  lookup_id: string;
  encrypted_hash: Buffer;
  nonce: Buffer;
  encryption_key_version: number;
  /** Shared by a key and its rotations: they draw on one hourly allowance. */
  allowance_id: string;
  rate_limit: number;
  /** Of all keys of the user together. */
  user_rate_limit: number;
  rotated_at: Timestamp | null;
  rotated_to_id: string | null;
  grace_period_ends_at: Timestamp | null;
  revoked_at: Timestamp | null;
  expires_at: Timestamp | null;
  /** Areas and ids of operations; null for all. */
  scopes: ColumnType<string[] | null, string[] | null | undefined, string[] | null>;
  /** CIDR blocks; null for all. */
  allowed_addresses: ColumnType<string[] | null, string[] | null | undefined, string[] | null>;
  /** Its owner's. */
  metadata: Json<KeyMetadata>;
  /** Counts the changes of what it may do. */
  revision: Generated<number>;
  last_used_at: Timestamp | null;
  usage_count: ColumnType<number, number | undefined, number>;
  created_at: GeneratedTimestamp;
}

export type KeyMetadata = Record<string, string | number | boolean | null>;

export type AuditAction =
  | 'key.created'
  | 'key.changed'
  | 'key.rotated'
  | 'key.revoked'
  | 'key.deleted'
  | 'license.granted'
  | 'license.revoked'
  | 'sign-in.succeeded'
  | 'sign-in.failed'
  | 'password.changed'
  | 'webhook-secret.rotated';

export interface AuditLogTable {
  id: string;
  at: GeneratedTimestamp;
  /** Whose it is. */
  user_id: string | null;
  /** Who did it; null for the operator, and for nobody who is known. */
  actor_id: string | null;
  action: AuditAction;
  key_id: string | null;
  address: string | null;
  details: Json<Record<string, unknown>>;
}

export interface KeyUsageTable {
  key_id: string;
  minute: Timestamp;
  operation: string;
  user_id: string;
  allowance_id: string;
  count: number;
  errors: Generated<number>;
}

export interface UsageCursorTable {
  singleton: Generated<boolean>;
  /** Last entry of the Redis usage stream that key_usage holds. */
  stream_id: string;
}

export type UserRow = Selectable<UsersTable>;
export type LicenseRow = Selectable<LicensesTable>;
export type ApiKeyRow = Selectable<ApiKeysTable>;
export type AuditRow = Selectable<AuditLogTable>;
