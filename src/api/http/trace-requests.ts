import type { Next } from 'koa';
import type { Tracing } from '../../shared/tracing/tracing.ts';
import type { ApiContext } from './context.ts';

/** Probes, files and pages of the console tell nobody anything. */
const traced = /^\/(?:api|mcp)(?:\/|$)/;

/** Makes a step of a trace of each call, a part of the client's own trace where it says so. */
export function traceRequests(tracing: Tracing) {
  return async (ctx: ApiContext, next: Next): Promise<void> => {
    if (!traced.test(ctx.path)) return await next();
    const attributes = { 'http.request.method': ctx.method, 'quarry.request_id': ctx.state.requestId };
    const parent = ctx.get('traceparent');
    await tracing.trace(ctx.method, { kind: 'server', attributes, parent }, async (span) => {
      await next();
      const { operation, problem } = ctx.state;
      span.set({
        'http.response.status_code': ctx.status,
        ...(operation !== undefined && { 'quarry.operation': operation }),
        ...(problem !== undefined && { 'quarry.code': problem }),
      });
      if (operation !== undefined) span.rename(`${ctx.method} ${operation}`);
    });
  };
}
