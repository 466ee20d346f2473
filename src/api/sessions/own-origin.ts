import { AppError } from '../../shared/errors.ts';
import type { ApiContext } from '../http/context.ts';

/**
 * Cross-site request forgery: a browser sends the session cookie with requests that another site makes, and
 * always names that site in `Origin`. An absent one (curl, server code) is allowed.
 * @throws AppError `forbidden`
 */
export function refuseForeignOrigin(ctx: ApiContext, publicUrl: string | undefined): void {
  const origin = ctx.get('Origin');
  if (origin === '') return;
  const isOwn =
    publicUrl === undefined
      ? URL.canParse(origin) && new URL(origin).host === ctx.host
      : origin === new URL(publicUrl).origin;
  if (isOwn) return;
  throw new AppError(
    'forbidden',
    `Requests from the origin ${origin.slice(0, 200)} are refused: only this service's own pages may change things with a session. ` +
      'Behind a proxy, the operator sets PUBLIC_URL to the address that users see.',
  );
}
