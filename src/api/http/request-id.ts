import type { Next } from 'koa';
import { createId } from '../../shared/ids.ts';
import type { ApiContext } from './context.ts';

/** Takes the client's id where it is a sane token, else makes one. */
export async function giveRequestId(ctx: ApiContext, next: Next): Promise<void> {
  const given = ctx.get('X-Request-Id');
  ctx.state.requestId = /^[A-Za-z0-9._:/+=-]{1,128}$/.test(given) ? given : createId();
  ctx.set('X-Request-Id', ctx.state.requestId);
  await next();
}
