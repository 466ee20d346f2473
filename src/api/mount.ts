import { join } from 'node:path';
import type { Router } from '@koa/router';
import type { ShownJobRow } from '../shared/jobs/find-jobs.ts';
import { isUnstored } from '../shared/jobs/kept-for.ts';
import { deleteResult } from '../shared/jobs/transitions/expire.ts';
import { changeOf } from '../shared/jobs/transitions/write-events.ts';
import { asDeclared } from '../shared/declared-errors.ts';
import { loadDefault } from '../shared/load-module.ts';
import { type InlineOperation, jsonType, type QueuedOperation, storedInputOf } from '../shared/operation.ts';
import type { AnswerMeta } from '../shared/schemas/answer-meta.ts';
import type { AcceptJob } from './accept-job.ts';
import { awaitJob, listenForEnd } from './await-job.ts';
import type { ApiDeps } from './deps.ts';
import { loadResult } from './find-job.ts';
import { type InlineHandler, JobAnswer, StatusAnswer } from './handler.ts';
import { identify } from './http/identify.ts';
import { addressOf, asCaller } from './http/authenticate.ts';
import { signalOf } from './http/client-gone.ts';
import type { ApiContext, ApiState } from './http/context.ts';
import { originOf } from './http/origin.ts';
import { readPrefer } from './http/prefer.ts';
import { setRateLimitHeaders } from './http/rate-limit-headers.ts';
import { type Params, readRequest } from './http/read-request.ts';
import { validate } from './http/validate.ts';
import {
  answerRepresentation,
  leavesOpen,
  readAccept,
  requireFitting,
  requireJson,
} from './representations.ts';
import { checkFiles, fileOf } from './operation-folder.ts';
import { reservePaths } from './reserve-paths.ts';
import { requesterOf, type Slot, uncounted } from './user-gate.ts';
import { clientStatusOf, isLive } from './presenter.ts';
import type { JobPresenter } from './present-job.ts';
import { sendStored, tellJob } from './stored-text.ts';

const handlerFolders = { own: join(import.meta.dirname, 'handlers'), inExtension: 'api-handlers' };

const between = (from: Date | null, to: Date | null) => (from && to ? to.getTime() - from.getTime() : null);

function metaOf(ctx: ApiContext, row: ShownJobRow | null): AnswerMeta {
  return {
    requestId: ctx.state.requestId,
    jobId: row?.id ?? null,
    cache: row?.cache ?? { state: 'bypass', ageSeconds: null },
    timings: {
      queuedMs: row && between(row.created_at, row.started_at),
      runMs: row && between(row.started_at, row.finished_at),
      totalMs: row && between(row.created_at, row.finished_at),
    },
    warnings: row?.warnings ?? [],
    ...row?.provenance,
  };
}

/** Deletes what the job was asked and its result, once the client has it; files of it can be had a while longer. */
function forgetOnceSent(ctx: ApiContext, { jobsDb, announcer, log }: ApiDeps, row: ShownJobRow): void {
  if (row.files !== null && row.files.length > 0) return;
  ctx.res.once('finish', () => {
    // A problem of ours was sent in place of the result, which can still be asked for.
    if (row.status === 'succeeded' && ctx.status >= 400) return;
    deleteResult(jobsDb, row.id).then(
      () => announcer.changed([changeOf(row)]),
      // Its time is short.
      (error: unknown) => log.warn({ err: error, jobId: row.id }, 'a result was not deleted at once'),
    );
  });
}

/** The stored input is read only for an operation that prefers something by it. */
const preferredType = (operation: QueuedOperation, { input }: ShownJobRow) =>
  operation.preferredType?.(storedInputOf(operation, input)) ?? jsonType;

function mountQueued(
  deps: ApiDeps,
  presenter: JobPresenter,
  acceptJob: AcceptJob,
  operation: QueuedOperation,
) {
  return async (ctx: ApiContext, params: Params): Promise<void> => {
    ctx.set('Cache-Control', 'no-store');
    const gone = signalOf(ctx);
    let body: Promise<Record<string, unknown>> | undefined;

    const { ended, accepted, isAsync, principal, ...promised } = await asCaller(ctx, deps, async (caller) => {
      ctx.state.principal = caller.principal;
      const types = readAccept(ctx, operation);
      const { waitMs, applied } = readPrefer(ctx.get('Prefer'), operation.waitMs);
      if (applied !== null) ctx.set('Preference-Applied', applied);
      body ??= readRequest(ctx, operation, params);
      const end = listenForEnd(deps, waitMs, gone);
      const webhookUrl = ctx.get('X-Webhook-Url').trim();
      const acceptedJob = await acceptJob({
        operation,
        request: await body,
        caller,
        idempotencyKey: ctx.get('Idempotency-Key') || null,
        requestId: ctx.state.requestId,
        webhook: webhookUrl === '' ? null : { url: webhookUrl, origin: originOf(ctx, deps) },
        // Who does not wait gets the job.
        ...(waitMs === 0
          ? {}
          : { onValid: (input: unknown) => requireFitting(ctx, operation, types, input) }),
        untilEnd: waitMs > 0,
        onId: end.onId,
        onAllowance: (state) => setRateLimitHeaders(ctx, state),
      });
      return {
        ...acceptedJob,
        principal: caller.principal,
        ended: end,
        accepted: types,
        isAsync: applied === 'respond-async',
      };
    });
    const { id } = promised;
    if (promised.joined) ctx.set('Idempotency-Replayed', 'true');
    const tellId = () => {
      ctx.state.jobId = id;
      ctx.set('X-Job-Id', id);
    };
    if (promised.withdraw === null) tellId();
    // Not counted by the gate where it has taken a use of the allowance: a job of its own.
    const answered = ({ pause }: Slot) => ended.answered(promised, pause, tellId);
    const row = promised.joined
      ? await deps.gate.run(requesterOf(principal), gone, answered)
      : await answered(uncounted);
    const origin = originOf(ctx, deps);
    // Who asked for the job gets the job, also where it ended meanwhile.
    if (isAsync || isLive(row)) {
      ctx.status = 202;
      ctx.set('Location', `/api/proxy/jobs/${id}`);
      ctx.set('Retry-After', '1');
      const { job, text } = await tellJob(presenter, row, origin);
      if (text !== null) await sendStored(ctx, text, metaOf(ctx, row));
      else ctx.body = { data: job, meta: metaOf(ctx, row) };
      return;
    }
    // A webhook brings the result as well, in its own time.
    if (isUnstored(row.input) && ctx.get('X-Webhook-Url') === '') forgetOnceSent(ctx, deps, row);
    const stored = presenter.bytesOf(row);
    let loading: ReturnType<typeof loadResult> | undefined;
    const loaded = () => (loading ??= loadResult(row));
    const output = async () => presenter.outputOf(await loaded());
    if (stored !== null && deps.config.checkResponses) operation.data.parse(await output());
    const data = stored === null ? presenter.dataOf(await loaded(), origin) : null;
    const represented = { row, data: async () => data ?? (await output()), output, stored };
    const preferred = leavesOpen(ctx) ? preferredType(operation, row) : null;
    const types = accepted.toSorted((a, b) => Number(b === preferred) - Number(a === preferred));
    if (await answerRepresentation(ctx, deps, operation, types, represented)) return;
    ctx.status = 200;
    if (stored === null) ctx.body = { data, meta: metaOf(ctx, row) };
    else await sendStored(ctx, { before: '', stored, after: '' }, metaOf(ctx, row));
  };
}

/** Who has to end a key, or asks whether one is valid, must not wait for what is done with it. */
const ungated: ReadonlySet<string> = new Set(['keys.revoke', 'keys.delete', 'keys.rotate', 'keys.validate']);

async function mountInline(deps: ApiDeps, presenter: JobPresenter, operation: InlineOperation) {
  const file = fileOf(deps.catalog, operation, handlerFolders);
  const handler = await loadDefault<InlineHandler>(file);

  return async (ctx: ApiContext, params: Params): Promise<void> => {
    ctx.set('Cache-Control', 'no-store');
    const principal = await identify(ctx, deps, operation);
    if (principal === null) return;
    const accepted = readAccept(ctx, operation);
    const input = validate(operation.input, await readRequest(ctx, operation, params));
    const { waitMs, applied } = readPrefer(operation.waits ? ctx.get('Prefer') : '', 0);
    const waited = /wait=\d+$/.exec(applied ?? '')?.[0];
    if (waited !== undefined) ctx.set('Preference-Applied', waited);
    // Who answers at once need not hear of it.
    const gone = ungated.has(operation.id) ? null : signalOf(ctx);
    const run = ({ pause }: Slot) =>
      handler.run({
        input,
        principal,
        deps,
        presenter,
        origin: originOf(ctx, deps),
        awaitEnd: (row) => pause(() => awaitJob(deps, row, waitMs, gone ?? signalOf(ctx))),
        actor: { actorId: principal.userId, address: addressOf(ctx, deps) },
      });
    const answer =
      gone === null ? await run(uncounted) : await deps.gate.run(requesterOf(principal), gone, run);
    const row = answer instanceof JobAnswer ? answer.row : null;
    const data: unknown =
      answer instanceof StatusAnswer || answer instanceof JobAnswer ? answer.data : answer;
    ctx.status = answer instanceof StatusAnswer ? answer.status : operation.status;
    if (row !== null && isLive(row)) {
      requireJson(ctx, accepted, clientStatusOf(row));
    } else if (row !== null) {
      const represented = { row, data: async () => data, output: async () => data, stored: null };
      if (await answerRepresentation(ctx, deps, operation, accepted, represented)) {
        // Kept by its reader, who asks each time whether the ETag still holds.
        ctx.set('Cache-Control', 'private, no-cache');
        return;
      }
    }
    if (answer instanceof JobAnswer && answer.json !== null) {
      await sendStored(ctx, answer.json, metaOf(ctx, row));
      return;
    }
    const checked = deps.config.checkResponses ? operation.output.parse(data) : data;
    ctx.body = operation.answer === 'bare' ? checked : { data: checked, meta: metaOf(ctx, row) };
  };
}

type Serve = (ctx: ApiContext, params: Params) => Promise<void>;

/** By method and path. */
type FixedRoutes = Map<string, (ctx: ApiContext) => Promise<void>>;

/**
 * Makes the routes of all contracts. Refuses a contract without a handler, and a handler without a contract.
 * @returns those without parameters once more: to look one up takes a hundredth of the router's walk over all routes.
 */
export async function mount(
  deps: ApiDeps,
  router: Router<ApiState>,
  { presenter, acceptJob }: { presenter: JobPresenter; acceptJob: AcceptJob },
): Promise<FixedRoutes> {
  const { catalog } = deps;
  const fixed: FixedRoutes = new Map();
  await checkFiles(catalog, catalog.inline, handlerFolders);
  reservePaths(router, catalog.operations);
  for (const operation of catalog.operations) {
    if (operation.route === null) continue;
    const { method, path } = operation.route;
    const answer: Serve =
      operation.runs === 'queue'
        ? mountQueued(deps, presenter, acceptJob, operation)
        : await mountInline(deps, presenter, operation);
    const serve: Serve = deps.config.checkErrors
      ? (ctx, params) =>
          answer(ctx, params).catch((error: unknown) => {
            throw asDeclared(operation, error);
          })
      : answer;
    const serveRoute: Serve = (ctx, params) => {
      ctx.state.operation = operation.id;
      return serve(ctx, params);
    };
    if (!path.includes('{')) fixed.set(`${method} ${path}`, (ctx) => serveRoute(ctx, {}));
    router.register(path.replaceAll(/\{(\w+)\}/g, ':$1'), [method], (ctx) => serveRoute(ctx, ctx.params));
  }
  return fixed;
}
