import type { ErrorCode } from './generated/routes.js';

/** What a service answers in place of a result (RFC 9457). */
export interface ProblemDetails {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ErrorCode;
  requestId: string | null;
  retryable: boolean;
  retryAfterSeconds?: number;
  errors?: { path: string; message: string }[];
}

/** A request that was refused, or a job that has failed. */
export class QuarryProblem extends Error {
  override readonly name = 'QuarryProblem';
  readonly code: ErrorCode;
  readonly status: number;
  readonly detail: string;
  readonly retryable: boolean;
  readonly retryAfterSeconds: number | undefined;
  readonly requestId: string | null;
  /** Of an invalid request: each place that is wrong. */
  readonly errors: readonly { path: string; message: string }[];
  /** The job that has failed; null where none was accepted. */
  readonly jobId: string | null;
  /** All that was answered, members of a code's own among it. */
  readonly problem: ProblemDetails;

  constructor(problem: ProblemDetails, jobId: string | null = null) {
    super(`${problem.code}: ${problem.detail}`);
    this.problem = problem;
    this.code = problem.code;
    this.status = problem.status;
    this.detail = problem.detail;
    this.retryable = problem.retryable;
    this.retryAfterSeconds = problem.retryAfterSeconds;
    this.requestId = problem.requestId;
    this.errors = problem.errors ?? [];
    this.jobId = jobId;
  }
}

const ofStatus = (status: number) => ({
  type: 'about:blank',
  title: `HTTP ${status}`,
  status,
  requestId: null,
});

/** What a refused answer says; null where Quarry has not written it. */
function readProblem(status: number, answer: unknown): ProblemDetails | null {
  const problem = answer as Partial<ProblemDetails & { error: string }> | null;
  if (typeof problem?.code !== 'string') return null;
  if (typeof problem.detail === 'string') return problem as ProblemDetails;
  // Of `keys.validate`, whose answer has a form of its own.
  const { code, error: detail } = problem;
  if (typeof detail !== 'string') return null;
  return { ...ofStatus(status), detail, code, retryable: false };
}

/** @param answer parsed; undefined where it is no JSON: something that is no Quarry has answered, e.g. a proxy before it. */
export function toProblem(status: number, answer: unknown, jobId: string | null): QuarryProblem {
  const retryable = status === 429 || status >= 500;
  const foreign: ProblemDetails = {
    ...ofStatus(status),
    detail: `The answer is no ${status < 400 ? 'result' : 'problem'} of Quarry: HTTP ${status}. Check the address of the service.`,
    code: retryable ? 'unavailable' : 'invalid_request',
    retryable,
  };
  return new QuarryProblem(readProblem(status, answer) ?? foreign, jobId);
}
