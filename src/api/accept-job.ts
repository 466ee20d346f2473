import { setImmediate as nextTick } from 'node:timers/promises';
import { getCompletionRate } from '../shared/jobs/find-jobs.ts';
import { isUnstored } from '../shared/jobs/kept-for.ts';
import { createEarlierJobs } from '../shared/jobs/idempotency.ts';
import { AppError } from '../shared/errors.ts';
import type { QueuedOperation } from '../shared/operation.ts';
import { createJobRow, hashInput } from '../shared/jobs/job-row.ts';
import { createJobWebhook, type JobWebhook } from '../shared/jobs/webhook.ts';
import type { AllowanceState, WindowState } from '../shared/usage/allowance.ts';
import { createBackPressure, retryAfter } from './back-pressure.ts';
import type { ApiDeps } from './deps.ts';
import { type Caller, KeyUnsure } from './http/authenticate.ts';
import { limitsOf } from './http/context.ts';
import { checkScope } from './http/key-rights.ts';
import { validate } from './http/validate.ts';
import { createKeyedMutex } from './keyed-mutex.ts';

async function tooManyJobs({ jobsDb, config, resultTtlMs }: ApiDeps, userId: string): Promise<AppError> {
  return new AppError(
    'too_many_jobs',
    `You have ${config.PENDING_JOBS_PER_USER} jobs that have not ended, which is the bound. Wait for some to end, or cancel some: GET /api/proxy/jobs.`,
    { retryAfterSeconds: retryAfter(await getCompletionRate(jobsDb, resultTtlMs, { userId })) },
  );
}

const oneMore = (state: WindowState): WindowState => ({ ...state, remaining: state.remaining + 1 });

/** The same GET is the same request without an Idempotency-Key. */
const isGet = (operation: QueuedOperation) => operation.route?.method === 'GET';

/** @throws AppError `invalid_request` */
function checkIdempotencyKey(key: string | null): string | null {
  if (key === null || (key.length <= 255 && /^[\x20-\x7e]+$/.test(key))) return key;
  throw new AppError(
    'invalid_request',
    'Idempotency-Key must be at most 255 printable ASCII characters. A UUID does well.',
  );
}

const longestUrl = 2_048;

/** @throws AppError `invalid_request`, `url_not_allowed` */
function readWebhook(egress: ApiDeps['egress'], webhook: JobRequest['webhook']): JobWebhook | null {
  if (webhook == null) return null;
  // Node reads a header's bytes as Latin-1, which makes another host of one that was sent as UTF-8.
  if (/[\u0080-\uffff]/.test(webhook.url)) {
    const detail = 'X-Webhook-Url must be ASCII: write its host as punycode, and the rest percent-encoded.';
    throw new AppError('invalid_request', detail);
  }
  if (webhook.url.length <= longestUrl) return createJobWebhook(egress.check(webhook.url), webhook.origin);
  throw new AppError('invalid_request', `X-Webhook-Url must have at most ${longestUrl} characters.`);
}

/** Without an Idempotency-Key. A result that is not to be stored goes with its answer: nobody else would find it. */
const isJoinable = (operation: QueuedOperation, input: unknown) => isGet(operation) && !isUnstored(input);

/** An earlier job that answers this request too. @throws AppError `idempotency_mismatch`. */
function createFindJoinable({ jobsDb }: ApiDeps) {
  const earlier = createEarlierJobs(jobsDb);
  return async (userId: string, { operation, input, hash, idempotencyKey: key, target }: ValidRequest) => {
    if (key !== null)
      return await earlier.findIdempotent(userId, key, { hash, webhookUrl: target?.url ?? null });
    return isJoinable(operation, input) ? await earlier.findIdentical(userId, operation.id, hash) : undefined;
  };
}

/** What is asked for, however it came in: by HTTP, a feed, a tool call. */
export interface JobRequest {
  operation: QueuedOperation;
  /** As the client wrote it. */
  request: Record<string, unknown>;
  caller: Caller;
  /** The same key with the same request joins the earlier job; a GET joins without one. */
  idempotencyKey: string | null;
  /** Named in logs and in the job's errors. */
  requestId: string;
  /** Where its end is to be told, and the origin that the links in the message are made for. */
  webhook?: { url: string; origin: string } | null;
  /** The caller waits by `listenForEnd`, and tells its client of the job when that says so: it may be `untold`. */
  untilEnd?: boolean;
  /** Called with the validated request, before anything is counted; may refuse it. */
  onValid?(input: unknown): void;
  /** Called with the id that the job will have, before it can end. */
  onId?(id: string): void;
  /**
   * Called with each state of the caller's allowance that the client is to be told, also where the request is then
   * refused; null where an earlier job was joined, which costs nothing.
   */
  onAllowance?(state: AllowanceState | null): void;
}

export interface AcceptedJob {
  id: string;
  /** The request got an earlier job, uncounted. */
  joined: boolean;
  /** Withdraws an `untold` job, and gives its use back; null where the row is on the disk already. */
  withdraw: (() => Promise<void>) | null;
}

/**
 * @throws AppError `forbidden`, `invalid_request`, `url_not_allowed`, `idempotency_mismatch`, `unavailable`, `overloaded`,
 * `rate_limited`, `too_many_jobs`: nothing was accepted then, and nothing counted.
 * @throws KeyUnsure where the caller was only known from before and Postgres must be asked.
 */
export type AcceptJob = (asked: JobRequest) => Promise<AcceptedJob>;

/** A request that was found to be in order. */
interface ValidRequest extends JobRequest {
  input: unknown;
  /** Of the request. */
  hash: Buffer;
  target: JobWebhook | null;
}

/**
 * From a request to a promised job, in the order of the contract: parse, check the targets, idempotent replay,
 * back-pressure, take one use, insert. A failed insert gives the use back. Where no other request is under way and the
 * allowance has plenty left, the use is taken beside the insert, and one that is refused after all takes the row back
 * before anybody was told of it.
 */
export function createAcceptJob(deps: ApiDeps): AcceptJob {
  const { allowances, egress, log, metrics, submit, withdrawal } = deps;
  const enter = createBackPressure(deps);
  const findJoinable = createFindJoinable(deps);
  const oneAtATime = createKeyedMutex();
  /** Requests whose use is being taken, or whose row inserted. */
  let promising = 0;

  async function takeUse({ operation, caller, onAllowance }: JobRequest, jobId: string) {
    const { userId, keyId, allowanceId } = caller.principal;
    const use = { userId, keyId, allowanceId, operation: operation.id, jobId };
    const taken = await allowances.take(use, limitsOf(caller.principal));
    onAllowance?.(taken);
    const { key, user, stamp } = taken;
    metrics.allowanceUses.inc({ outcome: stamp === null ? 'refused' : 'taken' });
    if (stamp !== null) {
      return async () => {
        metrics.allowanceUses.inc({ outcome: 'given_back' });
        onAllowance?.({ key: oneMore(key), user: oneMore(user) });
        await allowances
          .giveBack(use, stamp)
          .catch((error: unknown) => log.error({ err: error, keyId }, 'a use could not be given back'));
      };
    }
    const resetMs = Math.max(...[key, user].map((it) => (it.remaining === 0 ? (it.resetMs ?? 0) : 0)));
    const retryAfterSeconds = Math.max(1, Math.ceil(resetMs / 1_000));
    const whose =
      key.remaining === 0
        ? `The key has used its ${key.limit} requests of the last hour.`
        : `Your keys together, deleted ones among them, have used the ${user.limit} requests that you have in an hour.`;
    throw new AppError('rate_limited', `${whose} The next one is free in ${retryAfterSeconds} s.`, {
      retryAfterSeconds,
    });
  }

  async function accept(asked: ValidRequest): Promise<AcceptedJob> {
    const { operation } = asked;
    const { principal, isSure } = asked.caller;
    const findEarlier = () => findJoinable(principal.userId, asked);

    const earlier = await findEarlier();
    if (earlier !== undefined) {
      if (!isSure) throw new KeyUnsure();
      asked.onAllowance?.(null);
      asked.onId?.(earlier.id);
      return { id: earlier.id, joined: true, withdraw: null };
    }
    const leave = await enter(operation.queue);
    const isAlone = promising === 0;
    promising++;
    const { id, outcome, withdraw } = await promise(asked, isAlone).finally(() => {
      promising--;
      leave();
    });
    if (outcome === 'inserted') return { id, joined: false, withdraw };
    if (outcome === 'key_changed') throw new KeyUnsure();
    // The other one of two simultaneous requests was first; it may have ended since.
    if (outcome === 'taken' || (await findEarlier())) return await accept(asked);
    throw await tooManyJobs(deps, principal.userId);
  }

  /** Takes the use and inserts the row. Where it comes to no row, the use is given back. */
  async function promise(asked: ValidRequest, isAlone: boolean) {
    const { operation, request, input, hash, idempotencyKey, requestId } = asked;
    const { principal, isSure } = asked.caller;
    const { userId, keyId } = principal;
    // A row that others can join must not be withdrawn.
    const isOwn = idempotencyKey === null && !isJoinable(operation, input);
    // Among others it would be inserted by a statement of its own: the answers of Redis bring them together.
    const beside = isOwn && isAlone && allowances.hasPlenty(principal);
    const row = {
      ...createJobRow(
        deps.jobSecrets,
        operation,
        { request, input, hash },
        { userId, keyId, requestId, traceParent: deps.tracing.current() },
      ),
      idempotency_key: idempotencyKey,
      request_hash: isOwn ? null : hash,
      webhook: asked.target === null ? null : JSON.stringify(asked.target),
    };
    // The insert, which takes longer, is sent first: both go out at the end of this turn of the event loop, in the order
    // in which they ask for it, and this asks a moment after it.
    const use = (beside ? Promise.resolve().then(() => nextTick()) : Promise.resolve()).then(() =>
      takeUse(asked, row.id),
    );
    if (beside) use.catch(() => undefined);
    else await use;
    asked.onId?.(row.id);
    async function giveBackUse(): Promise<void> {
      const giveBack = await use.catch(() => null);
      await giveBack?.();
    }
    const keyState = isSure ? null : { ...limitsOf(principal), revision: principal.revision };
    const untold = asked.untilEnd === true && isOwn && asked.target === null;
    const job = { row, keyState, untold };
    const outcome = await submit(job, use).catch(async (error: unknown) => {
      await giveBackUse();
      throw error;
    });
    if (outcome === 'inserted') allowances.settled(row.id);
    else await giveBackUse();
    const withdraw = async () => {
      log.warn({ jobId: row.id, requestId }, 'a job that may not be on the disk was withdrawn');
      withdrawal.withdrawOnceInserted(row.id);
      await giveBackUse();
    };
    return { id: row.id, outcome, withdraw: untold ? withdraw : null };
  }

  return async (asked) => {
    const { operation, request, caller } = asked;
    checkScope(caller.principal, operation.id);
    const input: unknown = validate(operation.input, request);
    asked.onValid?.(input);
    for (const target of operation.targets(input)) egress.check(target);
    const idempotencyKey = isGet(operation) ? null : checkIdempotencyKey(asked.idempotencyKey);
    const target = readWebhook(egress, asked.webhook ?? null);
    // Who wants to be told elsewhere wants a job of their own.
    const told = isGet(operation) && target !== null ? { request, webhook: target.url } : request;
    const valid = { ...asked, input, hash: hashInput(operation.id, told), idempotencyKey, target };
    const name = isGet(operation) ? valid.hash.toString('hex') : idempotencyKey;
    if (name === null) return await accept(valid);
    // Of those that may be one job the first alone takes a use; the others find its job.
    return await oneAtATime(`${caller.principal.userId} ${name}`, () => accept(valid));
  };
}
