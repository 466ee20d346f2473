import { type AllowanceState, windowSeconds } from '../../shared/usage/allowance.ts';
import type { ApiContext } from './context.ts';

/** The metering of an answer; null takes back what was said. */
export function setRateLimitHeaders(ctx: ApiContext, state: AllowanceState | null): void {
  if (state === null) {
    ctx.remove('RateLimit');
    ctx.remove('RateLimit-Policy');
    return;
  }
  const windows = [
    ['hourly', state.key],
    ['user', state.user],
  ] as const;
  const policies = windows.map(([name, { limit }]) => `"${name}";q=${limit};w=${windowSeconds}`);
  const left = windows.map(([name, { remaining, resetMs }]) => {
    const seconds = resetMs === null ? windowSeconds : Math.ceil(resetMs / 1_000);
    return `"${name}";r=${remaining};t=${seconds}`;
  });
  ctx.set('RateLimit-Policy', policies.join(', '));
  ctx.set('RateLimit', left.join(', '));
}
