import type { Socket } from 'node:net';
import { connect, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import { EgressError, timeoutError } from './egress-error.ts';
import { literalAddress } from './policy.ts';
import type { EgressCertificate } from './types.ts';

const handshakeTimeoutMs = 10_000;

// Loading the root certificates takes milliseconds; one context serves every connection.
let sharedContext: SecureContext | undefined;
let oldContext: SecureContext | undefined;

/** RFC 8996 has withdrawn them: today's OpenSSL speaks them at its lowest level only. */
const oldVersions = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
const versions = { minVersion: 'TLSv1.2' } as const;

function contextOf(isOld: boolean): SecureContext {
  if (isOld) return (oldContext ??= createSecureContext(oldVersions));
  return (sharedContext ??= createSecureContext(versions));
}

/**
 * Speaks TLS (1.2 or later, or before that where `isOld`; HTTP/1.1) over a connected socket; the certificate must be valid for `host`.
 * @throws EgressError `target_tls_failed` with the reason in words, `target_timeout`; or the signal's reason.
 */
export function secureSocket(
  socket: Socket,
  host: string,
  options: { verify: boolean; isOld?: boolean; signal: AbortSignal },
): Promise<TLSSocket> {
  const name = literalAddress(host) ?? host.replace(/\.$/, '');
  const isLiteral = literalAddress(host) !== null;
  const { signal, isOld = false } = options;
  const secured = connect({
    socket,
    host: name,
    // SNI carries names only (RFC 6066, section 3).
    ...(isLiteral ? {} : { servername: name }),
    secureContext: contextOf(isOld),
    ...(isOld ? oldVersions : versions),
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: options.verify,
  });
  return new Promise((resolve, reject) => {
    function settle(error?: unknown): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      secured.removeListener('error', onError);
      secured.removeListener('close', onClose);
      if (error === undefined) return resolve(secured);
      secured.on('error', () => undefined);
      secured.destroy();
      socket.destroy();
      reject(error);
    }
    const onError = (cause: NodeJS.ErrnoException): void => settle(tlsError(host, cause));
    const onClose = (): void =>
      settle(tlsError(host, Object.assign(new Error('closed'), { code: 'ECONNRESET' })));
    const onAbort = (): void => settle(signal.reason);
    const timer = setTimeout(() => {
      settle(timeoutError(`${host} did not finish the TLS handshake within ${handshakeTimeoutMs / 1000} s.`));
    }, handshakeTimeoutMs);
    secured.once('secureConnect', () => settle());
    secured.once('error', onError);
    secured.once('close', onClose);
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** Reads the certificate that the other end of a finished handshake has shown. */
export function describeCertificate(secured: TLSSocket): EgressCertificate {
  const { issuer, valid_to: validTo } = secured.getPeerCertificate();
  const named = issuer?.O ?? issuer?.CN;
  const expiresAt = new Date(validTo ?? Number.NaN);
  return {
    valid: secured.authorized,
    issuer: (Array.isArray(named) ? named[0] : named) ?? null,
    expiresAt: Number.isNaN(expiresAt.getTime()) ? null : expiresAt,
  };
}

function tlsError(host: string, cause: NodeJS.ErrnoException): EgressError {
  const detail = `No trusted TLS connection to ${host}: ${reasonInWords(cause.code ?? '')}.`;
  return new EgressError('target_tls_failed', detail, 'tls', null, { cause });
}

function reasonInWords(code: string): string {
  switch (code) {
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
      return 'its certificate is self-signed, or signed by an authority that is not publicly trusted';
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return 'its certificate chain is incomplete or ends at an unknown authority';
    case 'CERT_HAS_EXPIRED':
      return 'its certificate has expired';
    case 'CERT_NOT_YET_VALID':
      return 'its certificate is not valid yet';
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return 'its certificate is for another host name';
    case 'ECONNRESET':
    case 'EPIPE':
      return 'the server closed the connection during the handshake';
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
    case 'ERR_SSL_PACKET_LENGTH_TOO_LONG':
      return 'the server does not speak TLS on this port; try http://';
    case 'ERR_SSL_UNSUPPORTED_PROTOCOL':
    case 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION':
      return 'the server offers only TLS versions before 1.2';
    case 'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE':
    case 'ERR_SSL_TLS_ALERT_HANDSHAKE_FAILURE':
    case 'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE':
      return 'the server and this client have no TLS version or cipher in common, or the server demands a client certificate';
    default:
      return code === '' ? 'the handshake failed' : `the handshake failed (${code})`;
  }
}
