/**
 * The one table of error codes: HTTP status, title and whether repeating the same request can help.
 * The API turns an AppError into RFC 9457 problem+json; a worker stores it as a failed job's error.
 */
interface ErrorKind {
  status: number;
  title: string;
  retryable: boolean;
}

/**
 * The codes that extensions declare, for their types: a contract merges its own into it
 * (`declare module '…/shared/errors.ts' { interface ExtensionErrors { slate_broken: true } }`).
 */
// oxlint-disable-next-line typescript/no-empty-object-type -- what is merged into it is of others.
export interface ExtensionErrors {}

const kinds = {
  invalid_request: { status: 400, title: 'Invalid request', retryable: false },
  unknown_model: { status: 400, title: 'Unknown model', retryable: false },
  key_inactive: { status: 400, title: 'Key is not active', retryable: false },

  unauthenticated: { status: 401, title: 'Sign-in required', retryable: false },
  key_missing: { status: 401, title: 'API key missing', retryable: false },
  key_invalid: { status: 401, title: 'API key invalid', retryable: false },
  key_expired: { status: 401, title: 'API key expired', retryable: false },
  key_revoked: { status: 401, title: 'API key revoked', retryable: false },

  license_required: { status: 403, title: 'License required', retryable: false },
  forbidden: { status: 403, title: 'Forbidden', retryable: false },
  url_not_allowed: { status: 403, title: 'Target not allowed', retryable: false },

  not_found: { status: 404, title: 'Not found', retryable: false },
  method_not_allowed: { status: 405, title: 'Method not allowed', retryable: false },
  not_acceptable: { status: 406, title: 'Not acceptable', retryable: false },
  request_timeout: { status: 408, title: 'Request timeout', retryable: true },
  result_expired: { status: 410, title: 'Result expired', retryable: false },
  body_too_large: { status: 413, title: 'Request body too large', retryable: false },
  unsupported_media_type: { status: 415, title: 'Unsupported media type', retryable: false },
  headers_too_large: { status: 431, title: 'Request headers too large', retryable: false },

  idempotency_mismatch: { status: 422, title: 'Idempotency key reused', retryable: false },
  selector_not_found: { status: 422, title: 'Selector not found', retryable: false },
  target_too_large: { status: 422, title: 'Target too large', retryable: false },
  unsupported_content: { status: 422, title: 'Unsupported content', retryable: false },
  image_too_large: { status: 422, title: 'Image too large', retryable: false },

  platform_unsupported: { status: 400, title: 'Platform not supported', retryable: false },
  video_not_found: { status: 404, title: 'Video not found', retryable: false },
  video_private: { status: 422, title: 'Video is private', retryable: false },
  video_age_restricted: { status: 422, title: 'Video is age-restricted', retryable: false },
  video_geo_blocked: { status: 422, title: 'Video is blocked by country', retryable: false },
  video_live_unsupported: { status: 422, title: 'Live video not supported', retryable: false },
  captions_unavailable: { status: 422, title: 'Captions not available', retryable: false },
  platform_blocked: { status: 502, title: 'Platform blocked the request', retryable: true },

  token_budget_used: { status: 429, title: 'Daily tokens for models used up', retryable: true },
  rate_limited: { status: 429, title: 'Hourly allowance used up', retryable: true },
  too_many_jobs: { status: 429, title: 'Too many pending jobs', retryable: true },
  too_many_attempts: { status: 429, title: 'Too many attempts', retryable: true },

  job_canceled: { status: 409, title: 'Job canceled', retryable: false },

  internal_error: { status: 500, title: 'Internal error', retryable: true },
  worker_lost: { status: 500, title: 'Worker lost', retryable: false },

  target_dns_failed: { status: 502, title: 'Target name not resolved', retryable: true },
  target_unreachable: { status: 502, title: 'Target unreachable', retryable: true },
  target_tls_failed: { status: 502, title: 'Target TLS failed', retryable: false },
  target_protocol_error: { status: 502, title: 'Target protocol error', retryable: false },
  too_many_redirects: { status: 502, title: 'Too many redirects', retryable: false },
  target_blocked: { status: 502, title: 'Target blocked the request', retryable: false },
  page_crashed: { status: 502, title: 'Page crashed', retryable: true },
  egress_proxy_failed: { status: 502, title: 'Upstream proxy failed', retryable: true },
  upstream_failed: { status: 502, title: 'Upstream provider failed', retryable: true },

  overloaded: { status: 503, title: 'Overloaded', retryable: true },
  unavailable: { status: 503, title: 'Temporarily unavailable', retryable: true },
  not_configured: { status: 503, title: 'Not configured', retryable: false },

  target_timeout: { status: 504, title: 'Target timed out', retryable: true },
  page_unresponsive: { status: 504, title: 'Page unresponsive', retryable: true },
  job_timeout: { status: 504, title: 'Job timed out', retryable: true },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof kinds | keyof ExtensionErrors;

/** Of an extension's code, `guide` says what it means and what to do, for `/docs/errors`. */
export type ExtensionErrorKind = ErrorKind & { guide: string };

const declared = new Map<string, ExtensionErrorKind>();

export const errorKinds = kinds as Readonly<Record<ErrorCode, ErrorKind>>;

/**
 * Adds codes of an extension to the table, from its contract: who accepts its jobs and who runs them both load that.
 * @throws Error for a code that is there already.
 */
export function declareErrors(
  codes: Readonly<Partial<Record<keyof ExtensionErrors, ExtensionErrorKind>>>,
): void {
  for (const [code, kind] of Object.entries<ExtensionErrorKind>(codes)) {
    if (Object.hasOwn(kinds, code)) throw new Error(`The error code ${code} is declared already`);
    Object.assign(kinds, { [code]: kind });
    declared.set(code, kind);
  }
}

/** What an extension says of its code; undefined for a code of the product. */
export const extensionGuideOf = (code: ErrorCode): string | undefined => declared.get(code)?.guide;

/** A stored code that this version does not know is one of a newer version, which was here before or still is. */
export const errorKindOf = (code: ErrorCode): ErrorKind =>
  (errorKinds as Readonly<Partial<Record<string, ErrorKind>>>)[code] ?? kinds.internal_error;

export interface FieldError {
  /** Dotted path into the request, e.g. `elements.0.selector`. */
  path: string;
  message: string;
}

export interface AppErrorOptions {
  errors?: FieldError[];
  /** Sent as `retryAfterSeconds` and as the `Retry-After` header. */
  retryAfterSeconds?: number;
  /** Headers of the HTTP answer, e.g. `Allow` on a 405. */
  headers?: Record<string, string>;
  /** Members of its own that a client reads beside `detail` (RFC 9457, section 3.2). */
  extensions?: Record<string, unknown>;
  /** The internal cause; it is logged, never shown. */
  cause?: unknown;
  /** Another run would come to the same, though the code is one that is usually tried again. */
  isFinal?: boolean;
}

/** An expected failure. `detail` is public: it says what is wrong, why, and how to mend it. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly errors: FieldError[] | undefined;
  readonly extensions: Record<string, unknown> | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly headers: Record<string, string>;
  readonly isFinal: boolean;

  constructor(code: ErrorCode, detail: string, options: AppErrorOptions = {}) {
    super(`${code}: ${detail}`, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.detail = detail;
    this.errors = options.errors;
    this.extensions = options.extensions;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.headers = options.headers ?? {};
    this.isFinal = options.isFinal ?? false;
  }

  get status(): number {
    return errorKindOf(this.code).status;
  }
}

/** A failure as a job's row keeps it. */
export interface StoredError {
  code: ErrorCode;
  detail: string;
  errors?: FieldError[];
  extensions?: Record<string, unknown>;
  retryAfterSeconds?: number;
}

/** Pages name captions and hosts as they like, and errors quote them; lists of jobs hold many errors. */
const longestDetail = 4_000;
const mostFieldErrors = 100;
const longestExtensions = 65_536;

export function toStoredError(error: AppError): StoredError {
  const { detail, errors, extensions } = error;
  const isTooLong = extensions !== undefined && JSON.stringify(extensions).length > longestExtensions;
  return {
    code: error.code,
    detail: detail.length > longestDetail ? `${detail.slice(0, longestDetail).toWellFormed()}…` : detail,
    ...(errors ? { errors: errors.slice(0, mostFieldErrors) } : {}),
    ...(extensions && !isTooLong ? { extensions } : {}),
    ...(error.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: error.retryAfterSeconds }),
  };
}

export function fromStoredError(stored: StoredError): AppError {
  const { code, detail, errors, extensions, retryAfterSeconds } = stored;
  return new AppError(code, detail, {
    ...(errors && { errors }),
    ...(extensions && { extensions }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}
