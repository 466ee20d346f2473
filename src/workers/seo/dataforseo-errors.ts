import { AppError } from '../../shared/errors.ts';
import { failed, type Upstream } from './upstream.ts';

const says =
  (code: 'upstream_failed' | 'not_configured', detail: (told: string) => string) =>
  (told: string): AppError =>
    new AppError(code, detail(told));

const refusedLogin = says(
  'not_configured',
  () =>
    'DataForSEO refuses the login. Set DATAFORSEO_LOGIN and DATAFORSEO_PASSWORD to those of its API access page.',
);
const cannotPay = says(
  'upstream_failed',
  (told) => `The DataForSEO account cannot pay for it (${told}). The operator has to top it up.`,
);
const tooFast = says(
  'upstream_failed',
  (told) => `DataForSEO asks for fewer requests (${told}). Try again in a minute.`,
);
const notAllowed = says(
  'upstream_failed',
  (told) => `DataForSEO does not let this account do it (${told}). The operator has to settle that with it.`,
);

/** https://docs.dataforseo.com/v3/appendix/errors; 401 and 402 are statuses of HTTP. */
const errors: Record<number, (told: string) => AppError> = {
  401: refusedLogin,
  40_100: refusedLogin,
  402: cannotPay,
  40_200: cannotPay,
  40_210: cannotPay,
  40_202: tooFast,
  40_209: tooFast,
  40_104: notAllowed,
  40_201: notAllowed,
  40_207: notAllowed,
  40_203: says(
    'upstream_failed',
    (told) =>
      `The DataForSEO account has spent what it may spend in a day (${told}). Try again tomorrow, or the operator raises its limit.`,
  ),
  40_204: says(
    'not_configured',
    (told) =>
      `The DataForSEO account has no access to this API (${told}). Activate it there, or set SEO_PROVIDERS so that \`open\` answers this endpoint.`,
  ),
};

/** What a code of DataForSEO means to who asked Quarry. */
export function errorOf(upstream: Upstream, code: number, message: string): AppError {
  const told = `${code} ${message}`.trim();
  const known = errors[code];
  if (known !== undefined) return known(told);
  // Others of its kind say that the request has another form than it should: that is our fault.
  if (code === 40_501)
    return new AppError(
      'invalid_request',
      `DataForSEO does not know this country, language or target (${told}).`,
    );
  return failed(upstream, `failed (${told})`);
}
