import type { Next } from 'koa';
import type { Metrics } from '../../shared/metrics/metrics.ts';
import type { ApiContext } from '../http/context.ts';

/** Counts each answer. Outside of what answers problems, so that it sees their statuses. */
export function measureRequests({ requests, requestSeconds }: Metrics) {
  return async (ctx: ApiContext, next: Next): Promise<void> => {
    const start = performance.now();
    await next();
    // What no contract names (files, this page, a wrong path) is one series, or any path could make new ones.
    const operation = ctx.state.operation ?? 'other';
    requests.inc({ operation, status: ctx.status, code: ctx.state.problem ?? '' });
    requestSeconds.observe({ operation }, (performance.now() - start) / 1_000);
  };
}
