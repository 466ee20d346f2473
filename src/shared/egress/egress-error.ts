import { AppError, type AppErrorOptions, type ErrorCode } from '../errors.ts';
import type { EgressOutcome, RefusalReason } from './types.ts';
import type { UpstreamProxy } from './upstream-proxies.ts';

type FailedResult = Exclude<EgressOutcome['result'], 'ok'>;

export interface ReachedIn {
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
}

/** Tells a failure, where it is the target's, how far it came; what was told first holds. */
export function tellReached(error: unknown, reached: ReachedIn): void {
  if (error instanceof EgressError && error.reached.dnsMs === null)
    error.reached = { dnsMs: reached.dnsMs, connectMs: reached.connectMs, tlsMs: reached.tlsMs };
}

/** An AppError that also carries what the door knows: the outcome's class and, when refused, the reason. */
export class EgressError extends AppError {
  readonly result: FailedResult;
  readonly reason: RefusalReason | null;
  /** How far it came before it failed; null where it did not come so far. */
  reached: ReachedIn = { dnsMs: null, connectMs: null, tlsMs: null };

  constructor(
    code: ErrorCode,
    detail: string,
    result: FailedResult,
    reason: RefusalReason | null = null,
    options: AppErrorOptions = {},
  ) {
    super(code, detail, options);
    this.result = result;
    this.reason = reason;
  }
}

// One sentence for name, address and port: an answer that told them apart would make the service a scanner.
const notAllowedDetail =
  'This target is not open to requests from here: its name, address or port is not one of the public web. ' +
  'Use a public http or https URL on a usual web port; to reach a private target, its operator lists it in EGRESS_ALLOW.';

const otherHostDetail =
  'This request may reach only the hosts that it was made for, and was led to another one. ' +
  'Where a provider answers at another address now, its base URL must be set to that one.';

/** A refusal by name, address or port, or because the lease is bound to other hosts. */
export function notAllowed(reason: 'name' | 'address' | 'port' | 'host'): EgressError {
  const detail = reason === 'host' ? otherHostDetail : notAllowedDetail;
  return new EgressError('url_not_allowed', detail, 'refused', reason);
}

/** A URL that is wrong by its text alone. */
export function badUrl(reason: 'parse' | 'scheme' | 'credentials', detail: string): EgressError {
  return new EgressError('invalid_request', detail, 'refused', reason);
}

/** The same failure; a refusal says that a redirect led there: what is wrong with its URL is the target's fault. */
export function afterRedirect<E>(error: E): E | EgressError {
  if (!(error instanceof EgressError) || error.result !== 'refused') return error;
  const detail = `The target redirected to a URL that cannot be followed. ${error.detail}`;
  const code = error.code === 'invalid_request' ? 'target_protocol_error' : error.code;
  const refusal = new EgressError(code, detail, error.result, error.reason, { cause: error });
  tellReached(refusal, error.reached);
  return refusal;
}

export function protocolError(detail: string, cause?: unknown): EgressError {
  return new EgressError('target_protocol_error', detail, 'protocol', null, { cause });
}

export function timeoutError(detail: string): EgressError {
  return new EgressError('target_timeout', detail, 'timeout');
}

export function budgetError(budgetBytes: number): EgressError {
  return new EgressError(
    'target_too_large',
    `The target sent more than the ${budgetBytes} bytes that one request may receive in all. ` +
      'Ask for a smaller page or block images and media.',
    'budget',
  );
}

/** The upstream proxy's own failure. Which proxy, only the cause and the outcome tell: clients need not know. */
export function proxyError({ name }: Pick<UpstreamProxy, 'name'>, how: string, cause?: unknown): EgressError {
  const detail =
    `The upstream proxy that requests to this target have to take ${how}, so the target was not asked. ` +
    "Try again later; the service's operator mends it, or EGRESS_PROXY.";
  return new EgressError('egress_proxy_failed', detail, 'proxy', null, {
    cause: new Error(`${name} ${how}`, { cause }),
  });
}

/** The upstream proxy has rules of its own. */
export function notAllowedByProxy(): EgressError {
  const detail = 'The upstream proxy that requests to this target have to take does not let them through.';
  return new EgressError('url_not_allowed', detail, 'refused', 'proxy');
}

/** A host that this lease is told not to ask. */
export function turnedAway(): EgressError {
  return new EgressError('url_not_allowed', 'This host is not asked for this page.', 'refused');
}

/** A request to the proxy that is wrong in itself, whatever its target. */
export function badProxyRequest(detail: string): EgressError {
  return new EgressError('invalid_request', detail, 'refused', 'protocol');
}
