import type { Next } from 'koa';
import { AppError } from '../../shared/errors.ts';
import type { ApiContext } from './context.ts';

/** RFC 9112, 3.2. Node would refuse it too, but without a problem. @throws AppError `invalid_request` */
export async function refuseMissingHost(ctx: ApiContext, next: Next): Promise<void> {
  if (ctx.req.httpVersion === '1.1' && ctx.get('Host') === '') {
    throw new AppError('invalid_request', 'The request has no Host header, which HTTP/1.1 demands.');
  }
  await next();
}
