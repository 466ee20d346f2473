import { setImmediate as nextTurn } from 'node:timers/promises';
import { getDrainRate } from '../shared/jobs/find-jobs.ts';
import { findIdempotentJob, findLiveTwin } from '../shared/jobs/joining.ts';
import { AppError } from '../shared/errors.ts';
import type { QueuedOperation } from '../shared/operation.ts';
import { createJobRow, hashInput } from '../shared/jobs/job-row.ts';
import { type AllowanceState, windowSeconds } from '../shared/usage/allowance.ts';
import { createBackPressure, retryAfter } from './back-pressure.ts';
import type { ApiDeps } from './deps.ts';
import { type Caller, KeyUnsure } from './http/authenticate.ts';
import type { ApiContext, Principal } from './http/context.ts';
import { validate } from './http/validate.ts';
import { createInTurn } from './in-turn.ts';

function setRateLimitHeaders(ctx: ApiContext, { limit, remaining, resetMs }: AllowanceState): void {
  const seconds = resetMs === null ? windowSeconds : Math.ceil(resetMs / 1_000);
  ctx.set('RateLimit-Policy', `"hourly";q=${limit};w=${windowSeconds}`);
  ctx.set('RateLimit', `"hourly";r=${remaining};t=${seconds}`);
}

async function tooManyJobs({ db, config, resultTtlMs }: ApiDeps, userId: string): Promise<AppError> {
  return new AppError(
    'too_many_jobs',
    `You have ${config.PENDING_JOBS_PER_USER} jobs that have not ended, which is the bound. Wait for some to end, or cancel some: GET /api/proxy/jobs.`,
    { retryAfterSeconds: retryAfter(await getDrainRate(db, resultTtlMs, { userId })) },
  );
}

/** The same GET is the same request without an Idempotency-Key. */
const isGet = (operation: QueuedOperation) => operation.route?.method === 'GET';

function readIdempotencyKey(ctx: ApiContext): string | null {
  const key = ctx.get('Idempotency-Key');
  if (key === '') return null;
  if (key.length <= 255 && /^[\x20-\x7e]+$/.test(key)) return key;
  throw new AppError(
    'invalid_request',
    'Idempotency-Key must be at most 255 printable ASCII characters. A UUID does well.',
  );
}

/** An earlier job that answers this request too. @throws AppError `idempotency_mismatch`. */
function createFindJoinable({ db }: ApiDeps) {
  return async (userId: string, operation: QueuedOperation, hash: Buffer, key: string | null) => {
    if (key !== null) {
      const earlier = await findIdempotentJob(db, userId, key);
      if (earlier === undefined || earlier.request_hash?.equals(hash)) return earlier;
      throw new AppError(
        'idempotency_mismatch',
        'This Idempotency-Key was used for another request in the last 24 hours. Use a new key for a new request.',
      );
    }
    return isGet(operation) ? await findLiveTwin(db, userId, operation.id, hash) : undefined;
  };
}

export interface AcceptedJob {
  id: string;
  /** The request got an earlier job, uncounted. */
  joined: boolean;
}

export type AcceptJob = (
  ctx: ApiContext,
  operation: QueuedOperation,
  request: Record<string, unknown>,
  caller: Caller,
  /** Called with the job's id before it can end. */
  onId: (id: string) => void,
) => Promise<AcceptedJob>;

interface Valid {
  input: unknown;
  /** Of the request. */
  hash: Buffer;
}

/**
 * From a request to a promised job, in the order of the contract: parse, check the targets, idempotent replay,
 * back-pressure, take one use, insert. A failed insert gives the use back. Of an allowance with plenty left the use
 * is taken beside the insert, and one that is refused after all takes the row back before anybody was told of it.
 */
export function createAcceptJob(deps: ApiDeps): AcceptJob {
  const { allowances, egress, log, submit } = deps;
  const enter = createBackPressure(deps);
  const findJoinable = createFindJoinable(deps);
  const inTurn = createInTurn();

  async function takeUse(ctx: ApiContext, operation: QueuedOperation, principal: Principal) {
    const { userId, keyId, allowanceId, rateLimit } = principal;
    const use = { userId, keyId, allowanceId, operation: operation.id };
    const taken = await allowances.take(use, rateLimit);
    setRateLimitHeaders(ctx, taken);
    const { stamp } = taken;
    if (stamp !== null) {
      return async () => {
        setRateLimitHeaders(ctx, { ...taken, remaining: taken.remaining + 1 });
        await allowances
          .giveBack(use, stamp)
          .catch((error: unknown) => log.error({ err: error, keyId }, 'a use could not be given back'));
      };
    }
    const retryAfterSeconds = Math.max(1, Math.ceil((taken.resetMs ?? 0) / 1_000));
    throw new AppError(
      'rate_limited',
      `The key has used its ${taken.limit} requests of the last hour. The next one is free in ${retryAfterSeconds} s.`,
      { retryAfterSeconds },
    );
  }

  async function accept(valid: Valid, ...asked: Parameters<AcceptJob>): Promise<AcceptedJob> {
    const [ctx, operation, , { principal, isSure }, onId] = asked;
    const { userId } = principal;
    const key = isGet(operation) ? null : readIdempotencyKey(ctx);
    const announce = (id: string): void => {
      ctx.state.jobId = id;
      ctx.set('X-Job-Id', id);
      onId(id);
    };
    const findEarlier = () => findJoinable(userId, operation, valid.hash, key);

    const earlier = await findEarlier();
    if (earlier !== undefined) {
      if (!isSure) throw new KeyUnsure();
      ctx.remove('RateLimit');
      ctx.remove('RateLimit-Policy');
      announce(earlier.id);
      return { id: earlier.id, joined: true };
    }
    const leave = await enter(operation.queue);
    const { id, outcome } = await promise(valid, key, announce, ...asked).finally(leave);
    if (outcome === 'inserted') return { id, joined: false };
    if (outcome === 'key_changed') throw new KeyUnsure();
    // The other one of two simultaneous requests was first; it may have ended since.
    if (outcome === 'taken' || (await findEarlier())) return await accept(valid, ...asked);
    throw await tooManyJobs(deps, userId);
  }

  /** Takes the use and inserts the row. Where it comes to no row, the use is given back. */
  async function promise(
    { input, hash }: Valid,
    key: string | null,
    announce: (id: string) => void,
    ...[ctx, operation, request, { principal, isSure }]: Parameters<AcceptJob>
  ) {
    const { userId, keyId } = principal;
    // A row that others can join must not be taken back.
    const isOwn = key === null && !isGet(operation);
    const beside = isOwn && allowances.hasPlenty(principal.allowanceId);
    // The insert, which takes longer, is sent first.
    const use = (beside ? nextTurn() : Promise.resolve()).then(() => takeUse(ctx, operation, principal));
    if (beside) use.catch(() => undefined);
    else await use;
    const row = {
      ...createJobRow(operation, { request, input, hash }, { userId, keyId, requestId: ctx.state.requestId }),
      idempotency_key: key,
      request_hash: isOwn ? null : hash,
    };
    announce(row.id);
    async function takeBack(): Promise<void> {
      delete ctx.state.jobId;
      ctx.remove('X-Job-Id');
      const giveBack = await use.catch(() => null);
      await giveBack?.();
    }
    const job = { row, keyLimit: isSure ? null : principal.rateLimit };
    const outcome = await submit(job, use).catch(async (error: unknown) => {
      await takeBack();
      throw error;
    });
    if (outcome !== 'inserted') await takeBack();
    return { id: row.id, outcome };
  }

  return async (...asked) => {
    const [ctx, operation, request, { principal }] = asked;
    const input: unknown = validate(operation.input, request);
    for (const target of operation.targets(input)) egress.check(target);
    const valid = { input, hash: hashInput(operation.id, request) };
    const name = isGet(operation) ? valid.hash.toString('hex') : ctx.get('Idempotency-Key');
    if (name === '') return await accept(valid, ...asked);
    // Of those that may be one job the first alone takes a use; the others find its job.
    return await inTurn(`${principal.userId} ${name}`, () => accept(valid, ...asked));
  };
}
