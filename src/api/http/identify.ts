import { AppError } from '../../shared/errors.ts';
import type { InlineOperation } from '../../shared/operation.ts';
import type { ApiDeps } from '../deps.ts';
import { refuseForeignOrigin } from '../sessions/own-origin.ts';
import { getSessionUser } from '../sessions/session-user.ts';
import { authenticate, authenticateAnywhere, carriesKey } from './authenticate.ts';
import type { ApiContext, Principal, SessionUser } from './context.ts';
import { checkScope } from './key-rights.ts';

async function identifyKey(
  ctx: ApiContext,
  deps: ApiDeps,
  operation: InlineOperation,
): Promise<Principal | null> {
  try {
    if (operation.refusal === 'invalid') {
      ctx.state.principal = await authenticateAnywhere(ctx, deps);
    } else {
      ctx.state.principal = await authenticate(ctx, deps);
      checkScope(ctx.state.principal, operation.id);
    }
    return ctx.state.principal;
  } catch (error) {
    if (operation.refusal !== 'invalid' || !(error instanceof AppError) || error.status !== 401) throw error;
    ctx.status = error.status;
    ctx.set(error.headers);
    ctx.body = { valid: false, error: error.detail, code: error.code };
    return null;
  }
}

/**
 * Who asks, as the operation wants it. Null: refused, and answered in the operation's own form.
 * @throws AppError of `authenticate` and `getSessionUser`, and `forbidden` for a foreign origin or a missing role.
 */
export async function identify(
  ctx: ApiContext,
  deps: ApiDeps,
  operation: InlineOperation,
): Promise<Principal | SessionUser | null> {
  const { access } = operation;
  const takesKey = access.includes('key');
  // Who sends neither is told of the key: it is what programs have.
  const sendsKey = carriesKey(ctx) || ctx.get('Cookie') === '';
  if (takesKey && (access.length === 1 || sendsKey)) return await identifyKey(ctx, deps, operation);
  if (operation.route.method !== 'GET') refuseForeignOrigin(ctx, deps.config.PUBLIC_URL);
  const user = await getSessionUser(ctx, deps);
  ctx.state.user = user;
  if (!access.includes('session') && user.role !== 'admin') {
    throw new AppError('forbidden', 'Only an admin may do this. Your role is user.');
  }
  return user;
}
