import type { EgressCertificate, EgressLease } from '../../shared/egress/types.ts';
import { type AskedWalk, walkRedirects, type Walk } from './walk-redirects.ts';

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

/**
 * Asks with GET, as whoever follows the URL will: servers answer HEAD as if it were another page. Bodies are not read.
 */
export async function checkAlive(lease: EgressLease, request: AskedWalk): Promise<Walk> {
  return await walkRedirects(lease, { ...request, method: 'GET', readBody: () => false });
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
