import type { HTTPRequest, HTTPResponse } from 'puppeteer-core';

import { afterRedirect } from '../../../shared/egress/egress-error.ts';
import { portOf } from '../../../shared/egress/target-url.ts';
import type { EgressLease, EgressOutcome } from '../../../shared/egress/types.ts';
import { AppError, type ErrorCode } from '../../../shared/errors.ts';
import { isAttachment } from '../fetch/fetch-page.ts';
import { findNetError, netErrorToAppError } from './net-errors.ts';
import type { Traffic } from './traffic.ts';

/**
 * Why a navigation failed, as the client should see it; null when there is a document all the same.
 * @throws `error` itself when it is not about the network (the page is gone).
 */
export function explainFailure(
  error: unknown,
  traffic: Traffic,
  { url, lease }: { url: string; lease: EgressLease },
): AppError | null {
  const name = findNetError(String(error));
  if (name === null) throw error;
  const response = traffic.documentResponse;
  if (name === 'ERR_ABORTED' && response !== null) {
    // "No content" leaves the empty page that was there; a script's own navigation takes the first one's place.
    if (response.status() === 204 || response.status() === 205 || traffic.documents.length > 1) return null;
    return unsupportedContent(response.headers());
  }
  if (name === 'ERR_INVALID_AUTH_CREDENTIALS' && response !== null) return null;
  const document = traffic.documents.at(-1);
  const cause = document === undefined ? findCause(lease, url) : findCauseOf(document, traffic, lease);
  return cause ?? netErrorToAppError(name, error);
}

/** Why the page has come to an error page of Chromium's, where a script or a refresh led; null where it has not. */
export function explainErrorPage(traffic: Traffic, lease: EgressLease): AppError | null {
  const failed = traffic.failedDocument;
  if (failed === null) return null;
  const name = findNetError(failed.failure()?.errorText ?? '') ?? 'ERR_FAILED';
  return findCauseOf(failed, traffic, lease) ?? netErrorToAppError(name);
}

/**
 * Over plain http the door answers a refusal itself, so Chromium sees a document. A target may send the same
 * header, but then the door's record has no failure of it.
 */
export function findRefusal(traffic: Traffic, lease: EgressLease, response: HTTPResponse): AppError | null {
  const failure = lease.failureOf(response.url());
  if (failure?.code === 'target_too_large') return failure;
  return 'x-egress-refused' in response.headers() ? findCauseOf(response.request(), traffic, lease) : null;
}

/** Where the page led, it says so. */
function findCauseOf(
  document: HTTPRequest,
  { documents }: Pick<Traffic, 'documents'>,
  lease: EgressLease,
): AppError | null {
  const cause = findCause(lease, document.url());
  const isFirst = document === documents[0] && document.redirectChain().length === 0;
  return isFirst || cause === null ? cause : afterRedirect(cause);
}

/** The door knows more than Chromium, which sees only that its proxy refused. */
function findCause(lease: EgressLease, url: string): AppError | null {
  const known = lease.failureOf(url);
  if (known) return known;
  // A host that was reached before, and failed then.
  const target = new URL(url);
  const isOfTarget = (one: EgressOutcome): boolean =>
    one.host === target.hostname && one.port === portOf(target);
  const last = lease.outcomes.findLast((one) => isOfTarget(one) && one.result !== 'ok');
  if (!last || last.result === 'ok') return null;
  const [code, detail] = outcomeErrors[last.result];
  return new AppError(code, detail);
}

const outcomeErrors: Record<Exclude<EgressOutcome['result'], 'ok'>, [ErrorCode, string]> = {
  refused: ['url_not_allowed', 'The target leads to an address that is not open to requests from here.'],
  dns: ['target_dns_failed', 'The name of the target does not resolve.'],
  connect: ['target_unreachable', 'The target does not accept connections.'],
  tls: ['target_tls_failed', 'The TLS handshake with the target failed.'],
  reset: ['target_unreachable', 'The target ended the connection before it answered.'],
  timeout: ['target_timeout', 'The target did not answer in time.'],
  budget: ['target_too_large', 'The page is larger than a page may be.'],
  proxy: ['egress_proxy_failed', 'The upstream proxy that requests to this target have to take has failed.'],
  protocol: ['target_protocol_error', 'The target does not answer with correct HTTP.'],
};

function unsupportedContent(headers: Record<string, string>): AppError {
  const type = headers['content-type'] ?? 'no content type';
  const length = headers['content-length'];
  const size = length && /^\d+$/.test(length) ? `${length} bytes` : 'size not given';
  const attachment = isAttachment(headers) ? ' as a download' : '';
  return new AppError(
    'unsupported_content',
    `The target is not a page that a browser can display: it sends ${type}${attachment} (${size}).`,
  );
}
