import type { Next } from 'koa';
import type { Logger } from 'pino';
import { isDatabaseAway } from '../../shared/db/client.ts';
import { AppError, type ErrorCode, errorKindOf, type FieldError } from '../../shared/errors.ts';
import { FileStoreAway } from '../../shared/files/file-store.ts';
import { redactKeys } from '../../shared/keys/key-text.ts';
import { isRedisAway } from '../../shared/redis.ts';
import type { Problem } from '../../shared/schemas/job.ts';
import type { ApiContext } from './context.ts';

/** Of a service that cannot answer now, where nobody knows better. */
const retrySeconds = 2;

/** RFC 9457. `type` is a relative reference into the reference documentation. */
export function toProblem(
  error: {
    code: ErrorCode;
    detail: string;
    errors?: FieldError[] | undefined;
    extensions?: Record<string, unknown> | undefined;
    retryAfterSeconds?: number | undefined;
  },
  requestId: string | null,
): Problem {
  const kind = errorKindOf(error.code);
  // A job's stored error has none.
  const retryAfterSeconds =
    error.retryAfterSeconds ?? (kind.status === 503 && kind.retryable ? retrySeconds : undefined);
  return {
    ...error.extensions,
    type: `/docs/errors#${error.code}`,
    title: kind.title,
    status: kind.status,
    detail: error.detail,
    code: error.code,
    requestId,
    retryable: kind.retryable,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(error.errors === undefined ? {} : { errors: error.errors }),
  };
}

/** Of a job that was accepted, only its answer did not come. Else a write may have happened all the same. */
const unavailable = (what: string, jobId: string | undefined, cause: unknown) =>
  new AppError(
    'unavailable',
    jobId === undefined
      ? `${what} cannot be reached right now, so nothing was promised. Try again in a moment.`
      : `${what} cannot be reached right now. The job ${jobId} was accepted and goes on: do not send it again, but ask for it in a moment, by GET /api/proxy/jobs/${jobId}.`,
    { cause },
  );

/** Whatever was thrown as what a client is told. */
export function toAppError(error: unknown, jobId: string | undefined): AppError {
  if (error instanceof AppError) return error;
  if (isDatabaseAway(error)) return unavailable('The database', jobId, error);
  if (isRedisAway(error)) return unavailable('The queue server', jobId, error);
  if (error instanceof FileStoreAway) return unavailable('The store of files', jobId, error);
  return new AppError(
    'internal_error',
    'Something went wrong on our side. Try again; if it persists, give the operator the requestId.',
    { cause: error },
  );
}

/** The outermost layer: whatever is thrown becomes problem+json, and the request is logged. */
export function answerProblems(log: Logger) {
  return async (ctx: ApiContext, next: Next): Promise<void> => {
    const start = performance.now();
    try {
      await next();
    } catch (thrown) {
      const error = toAppError(thrown, ctx.state.jobId);
      if (error.status >= 500 && error.cause !== undefined) {
        log.error({ err: error.cause, requestId: ctx.state.requestId }, error.code);
      }
      ctx.status = error.status;
      ctx.state.problem = error.code;
      ctx.set(error.headers);
      const problem = toProblem(error, ctx.state.requestId);
      if (problem.retryAfterSeconds !== undefined) ctx.set('Retry-After', String(problem.retryAfterSeconds));
      // A path or field name that is quoted may be a key in the wrong place.
      ctx.body = redactKeys(JSON.stringify(problem));
      ctx.type = 'application/problem+json; charset=utf-8';
    }
    log.info(
      {
        requestId: ctx.state.requestId,
        method: ctx.method,
        path: ctx.path,
        status: ctx.status,
        ms: Math.round(performance.now() - start),
        keyId: ctx.state.principal?.keyId,
        userId: ctx.state.user?.userId,
        jobId: ctx.state.jobId,
      },
      'request',
    );
  };
}
