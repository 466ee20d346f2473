import { AppError } from '../../shared/errors.ts';
import type { Operation } from '../../shared/operation.ts';
import { readJsonObject } from './body.ts';
import type { ApiContext } from './context.ts';
import { refuseBrokenText } from './refuse-broken-text.ts';
import { refuseQuery } from './refuse-query.ts';

export type Params = Record<string, string>;

/** What the path says is not said again: two values for one name would be one too many. */
function withParams(params: Params, values: Record<string, unknown>): Record<string, unknown> {
  const twice = Object.keys(params).filter((name) => Object.hasOwn(values, name));
  refuseBrokenText(params);
  if (twice.length === 0) return { ...values, ...params };
  const errors = twice.map((path) => ({ path, message: 'Unknown field: the path gives it already.' }));
  throw new AppError(
    'invalid_request',
    `The request gives ${twice.join(', ')} twice. Give it in the path only.`,
    {
      errors,
    },
  );
}

/** Body (POST, PUT, PATCH) or query, and the path's parameters. @throws AppError */
export async function readRequest(
  ctx: ApiContext,
  operation: Operation,
  params: Params,
): Promise<Record<string, unknown>> {
  const method = operation.route?.method;
  if (method === 'POST' || method === 'PUT' || method === 'PATCH') {
    refuseQuery(ctx);
    // Calls that say all by their path (revoke, validate) need no body.
    return withParams(params, await readJsonObject(ctx, operation.runs === 'api'));
  }
  const twice = Object.entries(ctx.query).find(([, value]) => Array.isArray(value));
  if (twice !== undefined) {
    throw new AppError('invalid_request', `The query has ${twice[0]} more than once. Give it once.`);
  }
  refuseBrokenText(ctx.query);
  return withParams(params, ctx.query);
}
