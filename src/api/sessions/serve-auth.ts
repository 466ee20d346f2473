import { AppError, type ErrorCode } from '../../shared/errors.ts';
import { fromNodeHeaders } from 'better-auth/node';
import type { ApiDeps } from '../deps.ts';
import { addressOf } from '../http/authenticate.ts';
import { readBody } from '../http/body.ts';
import { signalOf } from '../http/client-gone.ts';
import type { ApiContext } from '../http/context.ts';
import { clientAddressHeader } from './better-auth.ts';
import { refuseBrokenText } from '../http/refuse-broken-text.ts';
import { networkRequester } from './network-requester.ts';
import { refuseBrokenJson } from './own-texts.ts';
import { refuseForeignOrigin } from './own-origin.ts';

const codeOf: Readonly<Record<number, ErrorCode>> = {
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  413: 'body_too_large',
  415: 'unsupported_media_type',
  429: 'too_many_attempts',
};

/** Its longest text is the address of a picture. */
const mostKilobytes = 16;

/** Set by us, each in its own way; `Pragma` says no more than our `Cache-Control` does. */
const ownHeaders: ReadonlySet<string> = new Set(['set-cookie', 'content-length', 'pragma']);

/** better-auth's error page shows texts of the request: they must not do anything, nor be shown within another page. */
const pagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** better-auth's own error body is `{code, message}`; ours are all alike. */
async function toAppError(response: Response): Promise<AppError> {
  const body = (await response.json().catch(() => null)) as { message?: unknown } | null;
  const message = typeof body?.message === 'string' && body.message !== '' ? body.message : null;
  if (response.status >= 500) {
    return new AppError('unavailable', 'Sign-in cannot be reached right now. Try again in a moment.', {
      cause: new Error(`better-auth answered ${response.status}: ${message ?? 'no message'}`),
    });
  }
  const retryAfter = Number(response.headers.get('Retry-After') ?? Number.NaN);
  return new AppError(
    codeOf[response.status] ?? 'invalid_request',
    message ?? 'The sign-in service has no such call. Check the path and the method.',
    Number.isFinite(retryAfter) ? { retryAfterSeconds: retryAfter } : {},
  );
}

/** `/api/auth/*`: better-auth behind our own body limit, origin check, client address and error form. */
export function serveAuth(deps: Pick<ApiDeps, 'auth' | 'config' | 'findClientAddress' | 'gate'>) {
  const { auth, config, gate } = deps;
  const base = new URL(auth.options.baseURL);

  async function toRequest(ctx: ApiContext): Promise<Request> {
    const headers = fromNodeHeaders(ctx.req.headers);
    headers.set(clientAddressHeader, addressOf(ctx, deps));
    refuseBrokenText(ctx.query);
    const hasBody = ctx.method !== 'GET' && ctx.method !== 'HEAD';
    // The origin has been checked; better-auth, which knows one address only, is told that it is its own.
    if (hasBody) headers.set('Origin', base.origin);
    headers.delete('Content-Length');
    const body = hasBody ? await readBody(ctx, mostKilobytes) : null;
    if (body !== null) refuseBrokenJson(body);
    return new Request(new URL(ctx.url, base), { method: ctx.method, headers, body });
  }

  return async (ctx: ApiContext): Promise<void> => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') refuseForeignOrigin(ctx, config.PUBLIC_URL);
    const request = await toRequest(ctx);
    const requester = networkRequester('sign-in', ctx, deps);
    const response = await gate.run(requester, signalOf(ctx), () => auth.handler(request));
    for (const [name, value] of response.headers) {
      if (!ownHeaders.has(name)) ctx.set(name, value);
    }
    const cookies = response.headers.getSetCookie();
    if (cookies.length > 0) ctx.set('Set-Cookie', cookies);
    if (response.status >= 400) throw await toAppError(response);
    ctx.set('Cache-Control', 'no-store');
    if (ctx.response.is('html')) ctx.set('Content-Security-Policy', pagePolicy);
    ctx.status = response.status;
    ctx.body = await response.text();
  };
}
