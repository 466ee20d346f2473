import type { ApiDeps } from '../deps.ts';
import type { ApiContext } from './context.ts';

/** Scheme and host that links in answers are made for. */
export function originOf(ctx: ApiContext, { config }: Pick<ApiDeps, 'config'>): string {
  return config.PUBLIC_URL ?? `${ctx.protocol}://${ctx.host}`;
}
