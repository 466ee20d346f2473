import { AppError, type ErrorCode } from '../../../shared/errors.ts';

/** Chromium's network errors (net/base/net_error_list.h) in our words. Order matters: the first match wins. */
const causes: [pattern: RegExp, code: ErrorCode, detail: string][] = [
  [/TOO_MANY_REDIRECTS/, 'too_many_redirects', 'The target redirects more than 20 times.'],
  [/UNSAFE_REDIRECT/, 'url_not_allowed', 'The target redirects to an address that is not http or https.'],
  [
    /CERT_AUTHORITY_INVALID/,
    'target_tls_failed',
    "The target's certificate is not signed by a known authority.",
  ],
  [/CERT_DATE_INVALID/, 'target_tls_failed', "The target's certificate has expired or is not valid yet."],
  [/CERT_COMMON_NAME_INVALID/, 'target_tls_failed', "The target's certificate is for another host name."],
  [/CERT_REVOKED/, 'target_tls_failed', "The target's certificate has been revoked."],
  [/CERT_WEAK/, 'target_tls_failed', "The target's certificate uses a signature or key that is too weak."],
  [/CERT_|CERTIFICATE_TRANSPARENCY/, 'target_tls_failed', "The target's certificate is not acceptable."],
  [/SSL_VERSION_OR_CIPHER|SSL_OBSOLETE/, 'target_tls_failed', 'The target offers only outdated TLS.'],
  [/SSL_CLIENT_AUTH|BAD_SSL_CLIENT/, 'target_tls_failed', 'The target asks for a client certificate.'],
  [/SSL_|_TLS_|ECH_/, 'target_tls_failed', 'The TLS handshake with the target failed.'],
  [
    /NAME_NOT_RESOLVED|NAME_RESOLUTION_FAILED|DNS_/,
    'target_dns_failed',
    'The name of the target does not resolve.',
  ],
  [/TIMED_OUT|CONNECTION_TIMED/, 'target_timeout', 'The target did not answer in time.'],
  [
    /INVALID_RESPONSE|EMPTY_RESPONSE|INVALID_HTTP|RESPONSE_HEADERS|CONTENT_DECODING|CONTENT_LENGTH_MISMATCH|INCOMPLETE_CHUNKED|INVALID_CHUNKED|HTTP2_|QUIC_|INVALID_REDIRECT|ENCODING|METHOD_NOT_SUPPORTED|HTTP_1_1_REQUIRED/,
    'target_protocol_error',
    'The target does not answer with correct HTTP.',
  ],
  [
    /BLOCKED_BY|UNSAFE_PORT|DISALLOWED_URL_SCHEME|UNKNOWN_URL_SCHEME|NETWORK_ACCESS_DENIED|ACCESS_DENIED/,
    'url_not_allowed',
    'The target may not be visited.',
  ],
  [/INVALID_URL/, 'invalid_request', 'The URL cannot be visited.'],
  [
    /CONNECTION_|ADDRESS_|INTERNET_DISCONNECTED|NETWORK_|PROXY_|TUNNEL_|SOCKET_|FAILED/,
    'target_unreachable',
    'The target cannot be reached.',
  ],
];

/** The `net::ERR_…` name in a message of Puppeteer's, or null. */
export function findNetError(message: string): string | null {
  return /net::(ERR_[A-Z0-9_]+)/.exec(message)?.[1] ?? null;
}

export function netErrorToAppError(name: string, cause?: unknown): AppError {
  const [, code, detail] = causes.find(([pattern]) => pattern.test(name)) ?? [
    null,
    'target_unreachable' as const,
    'The target cannot be reached.',
  ];
  return new AppError(code, `${detail} (${name})`, { cause });
}
