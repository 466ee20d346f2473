import { AppError } from '../../shared/errors.ts';
import type { ApiContext } from './context.ts';

/** A reason needs no stack of its own for each answer. */
export const clientGone = new AppError('unavailable', 'The client has gone.');

/** Aborts when the client of a request goes before it is answered. */
export function signalOf(ctx: ApiContext): AbortSignal {
  const gone = new AbortController();
  if (ctx.res.destroyed) gone.abort(clientGone);
  ctx.res.once('close', () => {
    // Who has been answered waits for nothing, and to tell nobody costs as much.
    if (!ctx.res.writableFinished) gone.abort(clientGone);
  });
  return gone.signal;
}
