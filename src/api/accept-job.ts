import type { z } from 'zod';
import { isQueueFull } from '../shared/db/jobs.ts';
import { AppError } from '../shared/errors.ts';
import type { QueuedOperation, QueueName } from '../shared/operation.ts';
import { createJobRow } from '../shared/queue/input.ts';
import { submit } from '../shared/queue/submit.ts';
import { type AllowanceState, windowSeconds } from '../shared/usage/allowance.ts';
import type { ApiDeps } from './deps.ts';
import type { ApiContext, Principal } from './http/context.ts';
import { validate } from './http/validate.ts';

function setRateLimitHeaders(ctx: ApiContext, { limit, remaining, resetMs }: AllowanceState): void {
  const seconds = resetMs === null ? windowSeconds : Math.ceil(resetMs / 1_000);
  ctx.set('RateLimit-Policy', `"hourly";q=${limit};w=${windowSeconds}`);
  ctx.set('RateLimit', `"hourly";r=${remaining};t=${seconds}`);
}

/** Answers from a look at most `freshMs` old: the bound protects the service, it need not be exact. */
function createQueueGuard(deps: ApiDeps, freshMs = 250) {
  const looks = new Map<QueueName, { at: number; full: Promise<boolean> }>();
  return async (queue: QueueName): Promise<void> => {
    let look = looks.get(queue);
    if (look === undefined || Date.now() - look.at > freshMs) {
      look = { at: Date.now(), full: isQueueFull(deps.db, queue, deps.config.QUEUE_BOUND) };
      look.full.catch(() => looks.delete(queue));
      looks.set(queue, look);
    }
    if (await look.full) {
      throw new AppError(
        'overloaded',
        `The ${queue} queue is full. Nothing was accepted and nothing was counted; try again later.`,
        {
          retryAfterSeconds: 5,
        },
      );
    }
  };
}

export type AcceptJob = (
  ctx: ApiContext,
  operation: QueuedOperation,
  request: Record<string, unknown>,
  principal: Principal,
  /** Called with the job's id before anyone can end it. */
  onId: (id: string) => void,
) => Promise<void>;

/**
 * From a request to a promised job, in the order of the contract: parse, check the targets, back-pressure,
 * take one use, insert. A failed insert gives the use back.
 */
export function createAcceptJob(deps: ApiDeps): AcceptJob {
  const { allowances, egress, log } = deps;
  const refuseWhenFull = createQueueGuard(deps);

  return async (ctx, operation, request, principal, onId) => {
    const input: z.output<typeof operation.input> = validate(operation.input, request);
    for (const target of operation.targets(input)) egress.check(target);
    await refuseWhenFull(operation.queue);

    const { userId, keyId, allowanceId, rateLimit } = principal;
    const use = { userId, keyId, allowanceId, operation: operation.id };
    const taken = await allowances.take(use, rateLimit);
    setRateLimitHeaders(ctx, taken);
    if (taken.stamp === null) {
      const retryAfterSeconds = Math.max(1, Math.ceil((taken.resetMs ?? 0) / 1_000));
      throw new AppError(
        'rate_limited',
        `The key has used its ${taken.limit} requests of the last hour. The next one is free in ${retryAfterSeconds} s.`,
        { retryAfterSeconds },
      );
    }
    const row = createJobRow(operation, request, { userId, keyId, requestId: ctx.state.requestId });
    ctx.state.jobId = row.id;
    ctx.set('X-Job-Id', row.id);
    onId(row.id);
    try {
      await submit(deps, row);
    } catch (error) {
      await allowances
        .giveBack(use, taken.stamp)
        .catch((lost: unknown) => log.error({ err: lost, keyId }, 'a use could not be given back'));
      throw error;
    }
  };
}
