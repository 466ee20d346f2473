import { AppError } from '../../shared/errors.ts';
import type { ApiDeps } from '../deps.ts';
import { addressOf, authenticate, carriesKey } from '../http/authenticate.ts';
import type { ApiContext, Principal } from '../http/context.ts';
import { checkScope } from '../http/key-rights.ts';
import { refuseForeignOrigin } from '../sessions/own-origin.ts';
import { getSessionUser } from '../sessions/session-user.ts';
import type { Listener } from './subscriber.ts';

/** The feed's name among scopes. */
export const feedScope = 'jobs.events';

/** @throws AppError `forbidden` where the key is for other calls. */
export function listenerOf(principal: Principal, address: string): Listener {
  checkScope(principal, feedScope);
  return { userId: principal.userId, keyId: principal.keyId, sessionId: null, address };
}

/**
 * Who listens, by the request's key or its session cookie; null where it has neither.
 * @throws AppError of `authenticate` and `getSessionUser`, and `forbidden` for a cookie that another site's page sends.
 */
export async function identifyListener(ctx: ApiContext, deps: ApiDeps): Promise<Listener | null> {
  if (carriesKey(ctx)) {
    ctx.state.principal = await authenticate(ctx, deps);
    return listenerOf(ctx.state.principal, addressOf(ctx, deps));
  }
  const { authCookies } = await deps.auth.$context;
  if (ctx.cookies.get(authCookies.sessionToken.name) === undefined) return null;
  refuseForeignOrigin(ctx, deps.config.PUBLIC_URL);
  const { userId, sessionId } = await getSessionUser(ctx, deps);
  return { userId, keyId: null, sessionId, address: addressOf(ctx, deps) };
}

/** Where a client that comes back goes on; undefined where it does not say. @throws AppError `invalid_request` */
export function readLastEventId(text: string): number | undefined {
  if (text === '') return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new AppError(
    'invalid_request',
    'Last-Event-ID must be the id of an event that you were sent, or 0 for all that are kept.',
  );
}
