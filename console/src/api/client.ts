import type { Problem } from '../../../src/shared/schemas/job.ts';

/** What the service answers in place of a result, in words for people. */
export class ProblemError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.name = 'ProblemError';
    this.problem = problem;
  }
}

const unreadable = (status: number): Problem => ({
  type: 'about:blank',
  title: 'No answer',
  status,
  detail: `The service answered ${status} without saying why. Try again in a moment.`,
  code: 'internal_error',
  requestId: null,
  retryable: true,
});

const listeners = new Set<() => void>();

/** Told whenever an answer says that nobody is signed in (any more). */
export function onSignedOut(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export interface CallOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  body?: unknown;
  signal?: AbortSignal;
}

/**
 * One request with the session's cookie; answers the body.
 * @throws ProblemError, or TypeError where the service cannot be reached.
 */
export async function call<Body>(path: string, options: CallOptions = {}): Promise<Body> {
  const { method = 'GET', body, signal } = options;
  const response = await fetch(path, {
    method,
    credentials: 'same-origin',
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
    ...(signal === undefined ? {} : { signal }),
  });
  if (response.ok) {
    const text = await response.text();
    return (text === '' ? null : JSON.parse(text)) as Body;
  }
  const answer: unknown = await response.json().catch(() => null);
  const problem =
    typeof answer === 'object' && answer !== null && 'code' in answer
      ? (answer as Problem)
      : unreadable(response.status);
  if (problem.code === 'unauthenticated') for (const listener of listeners) listener();
  throw new ProblemError(problem);
}

/** In words for the one who sees it. */
export function messageOf(error: unknown): string {
  if (error instanceof ProblemError) return error.message;
  if (error instanceof TypeError) return 'The service cannot be reached. Check that it runs, and try again.';
  return String(error);
}
