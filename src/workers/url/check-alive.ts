import { EgressError } from '../../shared/egress/egress-error.ts';
import type { EgressCertificate, EgressLease } from '../../shared/egress/types.ts';
import { type AskedWalk, walkRedirects, type Walk } from './walk-redirects.ts';

/** Failures after which asking with another method can bring an answer. */
const worthAnotherMethod = new Set([
  'target_timeout',
  'target_protocol_error',
  'target_unreachable',
  'too_many_redirects',
]);
/** Of the whole time; the rest is left for GET where a server leaves HEAD unanswered. */
const headShare = 0.5;

export function reasonOf(status: number): { alive: boolean; reason: string } {
  if (status >= 200 && status < 300) return { alive: true, reason: 'ok' };
  if (status === 401 || status === 403) return { alive: true, reason: 'needs_login' };
  if (status === 405) return { alive: true, reason: 'method_not_allowed' };
  if (status === 429) return { alive: true, reason: 'rate_limited' };
  if (status === 404) return { alive: false, reason: 'not_found' };
  if (status === 410) return { alive: false, reason: 'gone' };
  if (status >= 500) return { alive: false, reason: 'server_error' };
  if (status >= 400) return { alive: false, reason: 'client_error' };
  return { alive: false, reason: 'unexpected_status' };
}

function isConclusive({ response, failure, loop }: Walk): boolean {
  // Servers that do not know HEAD answer it with 3xx to itself, 403, 404, 405 or 5xx, whatever the page is.
  if (loop) return false;
  if (response !== null && failure === null)
    return response.status < 300 || [401, 410, 429].includes(response.status);
  if (failure === null) return true;
  // Nobody listens there, whatever is said; a connection that was accepted and then reset is another matter.
  const isDeaf = failure instanceof EgressError && failure.result === 'connect';
  return !worthAnotherMethod.has(failure.code) || isDeaf;
}

/** Asks with HEAD, and with GET where HEAD did not settle it. Bodies are not read. */
export async function checkAlive(lease: EgressLease, request: AskedWalk): Promise<Walk> {
  const readBody = () => false;
  const headEndsAt = Date.now() + (request.endsAt - Date.now()) * headShare;
  const head = await walkRedirects(lease, { ...request, method: 'HEAD', endsAt: headEndsAt, readBody });
  if (isConclusive(head)) return head;
  const get = await walkRedirects(lease, { ...request, method: 'GET', readBody });
  const sum = (a: number | null, b: number | null) => (a === null && b === null ? null : (a ?? 0) + (b ?? 0));
  const { dnsMs, connectMs, tlsMs } = head.timings;
  return {
    ...get,
    timings: {
      // The second request usually goes over the first one's connection.
      dnsMs: sum(dnsMs, get.timings.dnsMs),
      connectMs: sum(connectMs, get.timings.connectMs),
      tlsMs: sum(tlsMs, get.timings.tlsMs),
      firstByteMs: get.timings.firstByteMs,
    },
  };
}

/**
 * The certificate that a target shows, valid or not; nothing but a HEAD without secrets is sent to it.
 * @param lease one that accepts any certificate.
 */
export async function readCertificate(
  lease: EgressLease,
  url: string,
  options: { timeoutMs: number; signal: AbortSignal },
): Promise<EgressCertificate | null> {
  try {
    const { certificate } = await lease.fetch({
      url,
      method: 'HEAD',
      redirect: 'manual',
      readBody: () => false,
      ...options,
    });
    return certificate;
  } catch {
    return null;
  }
}

export function describeTls(certificate: EgressCertificate | null) {
  if (certificate === null) return null;
  const { valid, issuer, expiresAt } = certificate;
  return {
    valid,
    issuer,
    expiresAt: expiresAt?.toISOString() ?? null,
    daysLeft: expiresAt === null ? null : Math.floor((expiresAt.getTime() - Date.now()) / 86_400_000),
  };
}
