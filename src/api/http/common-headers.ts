import type { Next } from 'koa';
import { createId } from '../../shared/ids.ts';
import { keyPrefix } from '../../shared/keys/key-text.ts';
import type { ApiContext } from './context.ts';

const saneToken = /^[A-Za-z0-9._:/+=-]{1,128}$/;

/**
 * What every answer has. The request's id is the client's where that is a valid token, else a new one. An API key is
 * none: ids are logged and stored.
 */
export async function setCommonHeaders(ctx: ApiContext, next: Next): Promise<void> {
  const given = ctx.get('X-Request-Id');
  ctx.state.requestId = saneToken.test(given) && !given.includes(keyPrefix) ? given : createId();
  ctx.set('X-Request-Id', ctx.state.requestId);
  // Nothing that is answered is to be taken for something else than it says.
  ctx.set('X-Content-Type-Options', 'nosniff');
  await next();
}
