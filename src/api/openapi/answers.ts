import { type ErrorCode, errorKinds } from '../../shared/errors.ts';
import type { Operation } from '../../shared/operation.ts';
import { jobErrors } from '../../shared/schemas/job.ts';
import { hasFiles } from '../representations.ts';

/** An answer that an operation can give: what is told of it stands in `responses.ts`. */
export type PossibleAnswer =
  /** The operation's data. */
  | { kind: 'data'; status: number }
  /** 202: the job. */
  | { kind: 'job'; status: 202 }
  /** What conditional and range requests for a file get. */
  | { kind: 'part'; status: 206 | 304 | 416 }
  /** `{valid: false}`, where a refused key is the answer to the question. */
  | { kind: 'refused-key'; status: 401; codes: ErrorCode[] }
  | { kind: 'problem'; status: number; codes: ErrorCode[] };

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
];

const ofBodies: readonly ErrorCode[] = ['unsupported_media_type', 'body_too_large'];

/** `not_found`: a job that was deleted while it was waited for. */
const ofQueues: readonly ErrorCode[] = [
  'rate_limited',
  'too_many_jobs',
  'overloaded',
  ...jobErrors,
  'not_found',
  // The receiver of its webhook.
  'url_not_allowed',
];

export function hasRequestBody({ route }: Pick<Operation, 'route'>): boolean {
  return route !== null && ['POST', 'PUT', 'PATCH'].includes(route.method);
}

function accessErrorsOf(operation: Operation): readonly ErrorCode[] {
  if (operation.runs === 'queue') return keyErrors;
  const { access, route } = operation;
  const ofKeys = access.includes('key') ? keyErrors : [];
  if (access.every((way) => way === 'key')) return ofKeys;
  // A read with a session is refused to nobody but for a role; a change also to foreign origins.
  const guarded = !access.includes('session') || route.method !== 'GET';
  return [...ofKeys, 'unauthenticated', ...(guarded ? (['forbidden'] as const) : [])];
}

function errorCodesOf(operation: Operation): ErrorCode[] {
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

function problemsOf(operation: Operation): PossibleAnswer[] {
  const codes = Map.groupBy(errorCodesOf(operation), (code) => errorKinds[code].status);
  return [...codes].map(([status, ofStatus]) =>
    status === 401 && operation.runs === 'api' && operation.refusal === 'invalid'
      ? { kind: 'refused-key', status, codes: ofStatus }
      : { kind: 'problem', status, codes: ofStatus },
  );
}

function successesOf(operation: Operation): PossibleAnswer[] {
  const parts = hasFiles(operation) && operation.route?.method === 'GET' ? ([206, 304, 416] as const) : [];
  if (operation.runs === 'queue') {
    return [
      { kind: 'data', status: 200 },
      { kind: 'job', status: 202 },
      ...parts.map((status) => ({ kind: 'part', status }) as const),
    ];
  }
  return [
    ...[operation.status, ...operation.otherStatuses].map((status) => ({ kind: 'data', status }) as const),
    ...parts.map((status) => ({ kind: 'part', status }) as const),
  ];
}

/** Everything that a request to an operation can be answered with; the one place that decides it. */
export function possibleAnswersOf(operation: Operation): PossibleAnswer[] {
  return [...successesOf(operation), ...problemsOf(operation)].sort((a, b) => a.status - b.status);
}
