import type { Next } from 'koa';
import { createId } from '../../shared/ids.ts';
import { keyPrefix } from '../../shared/keys/key-text.ts';
import type { ApiContext } from './context.ts';

const saneToken = /^[A-Za-z0-9._:/+=-]{1,128}$/;

/** Takes the client's id where it is a valid token, else makes one. An API key is none: ids are logged and stored. */
export async function giveRequestId(ctx: ApiContext, next: Next): Promise<void> {
  const given = ctx.get('X-Request-Id');
  ctx.state.requestId = saneToken.test(given) && !given.includes(keyPrefix) ? given : createId();
  ctx.set('X-Request-Id', ctx.state.requestId);
  // Nothing that is answered is to be taken for something else than it says.
  ctx.set('X-Content-Type-Options', 'nosniff');
  await next();
}
