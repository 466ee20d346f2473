import { fromNodeHeaders } from 'better-auth/node';
import { isAPIError } from 'better-auth/api';
import { AppError } from '../../shared/errors.ts';
import type { ApiContext, SessionUser } from '../http/context.ts';
import type { ApiDeps } from '../deps.ts';
import { signalOf } from '../http/client-gone.ts';
import { clientAddressHeader } from './better-auth.ts';
import { networkRequester } from './network-requester.ts';

/**
 * Who is signed in. Postgres is asked each time, so that a sign-out holds at once. A session that is renewed on
 * the way gets its new cookie with the answer.
 * @throws AppError `unauthenticated`, `unavailable`, `overloaded` where too many of the client's network wait
 */
export async function getSessionUser(
  ctx: ApiContext,
  deps: Pick<ApiDeps, 'auth' | 'findClientAddress' | 'gate'>,
): Promise<SessionUser> {
  const asked = fromNodeHeaders(ctx.req.headers);
  // Ours to set; whatever the client says under this name is no address.
  asked.delete(clientAddressHeader);
  const { headers, response } = await deps.gate
    .run(networkRequester('session', ctx, deps), signalOf(ctx), () =>
      deps.auth.api.getSession({ headers: asked, returnHeaders: true }),
    )
    .catch((error: unknown) => {
      // It hides why it could not read the session; the log has it.
      if (!isAPIError(error) || error.statusCode < 500) throw error;
      throw new AppError('unavailable', 'The session cannot be read right now. Try again in a moment.', {
        cause: error,
      });
    });
  const cookies = headers.getSetCookie();
  if (cookies.length > 0) ctx.set('Set-Cookie', cookies);
  if (response === null) {
    throw new AppError(
      'unauthenticated',
      'This call needs a session. Sign in first: POST /api/auth/sign-in/email {"email", "password"}, and send the cookie that it sets.',
    );
  }
  const { id, email, name, role } = response.user;
  return {
    userId: id,
    sessionId: response.session.id,
    email,
    name,
    role: role === 'admin' ? 'admin' : 'user',
  };
}
