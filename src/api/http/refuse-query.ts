import { AppError } from '../../shared/errors.ts';
import type { ApiContext } from './context.ts';
import { mostErrors } from './validate.ts';

const message = 'This call takes no query parameters. Send fields in the body.';

/** For calls that take a body: what stands in their query would be passed over silently. @throws AppError `invalid_request` */
export function refuseQuery(ctx: ApiContext): void {
  if (ctx.querystring === '') return;
  const names = Object.keys(ctx.query);
  if (names.length === 0) return;
  const errors = names.slice(0, mostErrors).map((path) => ({ path, message }));
  throw new AppError('invalid_request', message, { errors });
}
