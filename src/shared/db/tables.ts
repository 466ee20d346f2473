import type { ColumnType, Generated, Insertable, Selectable } from 'kysely';
import type { StoredError } from '../errors.ts';
import type { FileStoreName, JobFile } from '../files/file-store.ts';
import type { JobWebhook } from '../jobs/webhook.ts';
import type { QueueName } from '../operation.ts';
import type { CacheUse, Provenance, Warning } from '../schemas/job.ts';
import type {
  UsersTable,
  AccountsTable,
  SessionsTable,
  LoginAttemptsTable,
  LicensesTable,
  TokenUsesTable,
  ApiKeysTable,
  AuditLogTable,
  KeyUsageTable,
  UsageCursorTable,
} from './account-tables.ts';
import type { GeneratedTimestamp, Json, Timestamp } from './column-types.ts';
import type {
  LinkIndexPagesTable,
  LinkIndexLinksTable,
  SeoDatasetsTable,
  SeoAnswersTable,
} from './seo-tables.ts';

export interface BlobsTable {
  id: string;
  content_type: string;
  size_bytes: number;
  sha256: Buffer;
  bytes: Buffer;
  created_at: GeneratedTimestamp;
}

export interface FilesTable {
  id: string;
  job_id: string;
  /** `thumbnail of <id>` is one that was made of another; all others are a job's own. */
  name: string;
  content_type: string;
  size_bytes: Generated<number>;
  /** Null until it is complete. */
  sha256: Buffer | null;
  store: FileStoreName;
  state: 'writing' | 'complete' | 'replaced';
  /** Of the run that is writing it. */
  lease_token: string | null;
  /** What the store calls the upload, until it is complete. */
  upload_id: string | null;
  created_at: GeneratedTimestamp;
}

/** Bytes of the files that Postgres stores. */
export interface FileChunksTable {
  file_id: string;
  /** Its place in the file, from 0. */
  first_byte: number;
  bytes: Buffer;
}

/** As stored; a waiting parent is `running` to the client. */
export type JobRowStatus = 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'canceled' | 'expired';

/**
 * What happens to a job. `accepted` first; `started` once; `parked` when its worker has left it before its end, for
 * its children or for another attempt, and `resumed` when one has it again; one of `succeeded`, `failed` and `canceled`
 * as its end; then `expired` when its result is deleted and `deleted` when its row is.
 */
export type JobEventKind =
  | 'accepted'
  | 'started'
  | 'progress'
  | 'parked'
  | 'resumed'
  | 'succeeded'
  | 'failed'
  | 'canceled'
  | 'expired'
  | 'deleted';

export interface JobProgress {
  done: number | null;
  total: number | null;
  note: string | null;
}

export interface JobsTable {
  id: string;
  user_id: string;
  key_id: string | null;
  operation: string;
  queue: QueueName;
  input: ColumnType<unknown, string, never>;
  /** What of the input is for the target alone, sealed (`jobs/job-secrets.ts`); null once the job has ended. */
  secrets: Buffer | null;
  input_hash: Buffer;
  parent_id: string | null;
  ordinal: number | null;
  /** The request that the row is a descendant of; null for the request itself. */
  root_id: string | null;
  pending_children: Generated<number>;
  total_children: Generated<number>;
  /** Counts the dispatches that must be new BullMQ jobs: one for each return to `queued`. */
  generation: Generated<number>;
  status: Generated<JobRowStatus>;
  lease_token: string | null;
  lease_expires_at: Timestamp | null;
  /** Not before this time (backoff). */
  run_at: GeneratedTimestamp;
  /** When workers were told of the row; null while it is in its user's backlog. */
  dispatched_at: Timestamp | null;
  /** Bound of one run, children included. */
  timeout_ms: number;
  /** Set when a run starts; a parent keeps it while it waits, and is given what its children waited to start. */
  deadline_at: Timestamp | null;
  attempts: Generated<number>;
  /** Expired leases only. */
  crashes: Generated<number>;
  /** Transient failures that were tried again. */
  retries: Generated<number>;
  steps: Json<Record<string, unknown>>;
  progress: Json<JobProgress>;
  warnings: Json<Warning[]>;
  /** Null: no page cache was asked. */
  cache: Json<CacheUse>;
  /** Null: it tells of no sources. */
  provenance: Json<Provenance>;
  /** Where its end is told; null for nowhere. */
  webhook: Json<JobWebhook>;
  error: Json<StoredError>;
  result_blob_id: string | null;
  /** Those that its runs have written so far. */
  files: Json<JobFile[]>;
  idempotency_key: string | null;
  request_hash: Buffer | null;
  request_id: string | null;
  /** The step of a trace that has asked for it (W3C Trace Context); null where none is kept. */
  trace_parent: string | null;
  created_at: GeneratedTimestamp;
  started_at: Timestamp | null;
  finished_at: Timestamp | null;
  expires_at: Timestamp | null;
}

export interface JobEventsTable {
  /** Grows; of two events of a job the later one has the greater. Readers: see jobs/events.ts. */
  seq: ColumnType<number, never, never>;
  job_id: string;
  user_id: string;
  kind: JobEventKind;
  at: GeneratedTimestamp;
}

/** What signs the messages to a user's receivers: made of the id. */
export interface WebhookSecretsTable {
  id: string;
  user_id: string;
  created_at: GeneratedTimestamp;
  /** Null of the current one. */
  retires_at: Timestamp | null;
}

export type WebhookDeliveryStatus = 'pending' | 'delivered' | 'failed' | 'stopped';

/** One attempt. */
export interface WebhookAttempt {
  at: string;
  /** Of the answer; null where there was none. */
  status: number | null;
  /** A code, where there was no answer. */
  error: string | null;
  /** The answer's first bytes, as text. */
  answer: string | null;
  ms: number | null;
}

export interface WebhookDeliveriesTable {
  /** Of a job's message: the job's. */
  id: string;
  user_id: string;
  job_id: string | null;
  type: string;
  url: string;
  /** Scheme, host and port of the URL. */
  receiver: string;
  origin: string;
  status: Generated<WebhookDeliveryStatus>;
  attempts: ColumnType<WebhookAttempt[], string | undefined, string>;
  /** Since it was made or asked for again. */
  tries: Generated<number>;
  created_at: GeneratedTimestamp;
  /** When it was made, or asked for again. */
  tried_since: GeneratedTimestamp;
  next_attempt_at: GeneratedTimestamp;
  /** Of the process that is sending it. */
  claim_token: string | null;
  claimed_at: Timestamp | null;
}

/** Receivers that have not answered the last time. */
export interface WebhookReceiversTable {
  user_id: string;
  receiver: string;
  /** In a row. */
  failures: number;
  /** The last time. */
  failed_at: GeneratedTimestamp;
  open_until: Timestamp | null;
}

/** Copies of pages, compressed; unlogged, so that it costs no WAL and is empty after a crash of Postgres. */
export interface PageCacheTable {
  key: Buffer;
  copy: Buffer;
  size_bytes: number;
  stored_at: GeneratedTimestamp;
}

/** What a links map has fetched so far; a rerun answers its fetches from here. */
export interface CrawlVisitsTable {
  job_id: string;
  /** JSON, of a batch. */
  visits: string;
}

export interface Database {
  users: UsersTable;
  accounts: AccountsTable;
  sessions: SessionsTable;
  login_attempts: LoginAttemptsTable;
  licenses: LicensesTable;
  token_uses: TokenUsesTable;
  api_keys: ApiKeysTable;
  audit_log: AuditLogTable;
  key_usage: KeyUsageTable;
  usage_cursor: UsageCursorTable;
  blobs: BlobsTable;
  files: FilesTable;
  file_chunks: FileChunksTable;
  jobs: JobsTable;
  job_events: JobEventsTable;
  webhook_secrets: WebhookSecretsTable;
  webhook_deliveries: WebhookDeliveriesTable;
  webhook_receivers: WebhookReceiversTable;
  page_cache: PageCacheTable;
  crawl_visits: CrawlVisitsTable;
  link_index_pages: LinkIndexPagesTable;
  link_index_links: LinkIndexLinksTable;
  seo_datasets: SeoDatasetsTable;
  seo_answers: SeoAnswersTable;
}

export type JobRow = Selectable<JobsTable>;
export type WebhookDeliveryRow = Selectable<WebhookDeliveriesTable>;
export type NewJobRow = Insertable<JobsTable>;
