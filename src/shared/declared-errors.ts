import { AppError, type ErrorCode, errorKinds } from './errors.ts';
import type { Operation } from './operation.ts';
import { jobErrors } from './schemas/job.ts';

const keyErrors: readonly ErrorCode[] = ['key_missing', 'key_invalid', 'key_revoked', 'key_expired'];

/** Whatever is asked, the service itself can fail, and so can the request's method, query and `Accept`. */
const everywhere: readonly ErrorCode[] = [
  'invalid_request',
  'method_not_allowed',
  'not_acceptable',
  'request_timeout',
  'headers_too_large',
  'internal_error',
  'unavailable',
  // Of calls that cost no use, more than a thousand of the user's wait.
  'overloaded',
];

const ofBodies: readonly ErrorCode[] = ['unsupported_media_type', 'body_too_large'];

/** `not_found`: a job that was deleted while it was waited for. */
const ofQueues: readonly ErrorCode[] = [
  'rate_limited',
  'too_many_jobs',
  ...jobErrors,
  'not_found',
  // The receiver of its webhook.
  'url_not_allowed',
];

export function hasRequestBody({ route }: Pick<Operation, 'route'>): boolean {
  return route !== null && ['POST', 'PUT', 'PATCH'].includes(route.method);
}

function accessErrorsOf(operation: Operation): readonly ErrorCode[] {
  // Of a key that is for other calls, or for other addresses.
  if (operation.runs === 'queue') return [...keyErrors, 'forbidden'];
  const { access, route } = operation;
  const bounded = operation.refusal === 'invalid' ? [] : (['forbidden'] as const);
  const ofKeys = access.includes('key') ? [...keyErrors, ...bounded] : [];
  if (access.every((way) => way === 'key')) return ofKeys;
  // A read with a session is refused to nobody but for a role; a change also to foreign origins.
  const guarded = !access.includes('session') || route.method !== 'GET';
  return [...ofKeys, 'unauthenticated', ...(guarded ? (['forbidden'] as const) : [])];
}

/** Every code that a call of the operation can be answered with. */
export function errorCodesOf(operation: Operation): ErrorCode[] {
  const idempotent = operation.runs === 'queue' && operation.route?.method === 'POST';
  const codes = new Set<ErrorCode>([
    ...everywhere,
    ...accessErrorsOf(operation),
    ...(hasRequestBody(operation) ? ofBodies : []),
    ...(operation.runs === 'queue' ? ofQueues : []),
    ...(idempotent ? (['idempotency_mismatch'] as const) : []),
    ...operation.errors,
  ]);
  // In the order of the one table of errors.
  return (Object.keys(errorKinds) as ErrorCode[]).filter((code) => codes.has(code));
}

/**
 * In tests a code that the contract does not declare is a fault of ours, not an answer: clients read in the contract what
 * to expect.
 */
export function asDeclared(operation: Operation, error: unknown): unknown {
  if (!(error instanceof AppError) || errorCodesOf(operation).includes(error.code)) return error;
  const detail = `${operation.id} fails with ${error.code}, which its contract does not declare`;
  return new AppError('internal_error', detail, { cause: error });
}
