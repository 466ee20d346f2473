import { QuarryProblem, toProblem } from './problem.js';

export interface SendOptions {
  fetch: typeof fetch;
  /** Further tries of what may work later. */
  retries: number;
  /** What asks to wait longer is not waited for. */
  maxRetryWaitMs: number;
}

export interface Sent {
  status: number;
  headers: Headers;
  body: unknown;
}

export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** @returns undefined where it is no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The health of a service that is down is an answer, though its status is 503. */
const hasData = (body: unknown) => typeof body === 'object' && body !== null && 'data' in body;

async function sendOnce(options: SendOptions, url: URL, init: RequestInit): Promise<Sent> {
  const response = await options.fetch(url, init);
  const text = await response.text();
  const { status, headers, ok } = response;
  const body = text === '' ? null : parse(text);
  if (body === undefined || !(ok || hasData(body))) {
    throw toProblem(status, body, headers.get('X-Job-Id'));
  }
  return { status, headers, body };
}

/**
 * A job that has failed is an answer: the same Idempotency-Key would only get it again. All else that may work later
 * (no connection, no allowance, a full queue, a service that starts again) was not done, or is joined by the same key.
 * A POST or PATCH without such a key may have been done though nobody said so, unless it was refused for its number.
 */
function mayWorkLater(error: unknown, isRepeatable: boolean): boolean {
  if (!isRepeatable) return error instanceof QuarryProblem && error.status === 429 && error.retryable;
  if (!(error instanceof QuarryProblem)) return error instanceof TypeError;
  return error.retryable && (error.jobId === null || error.code === 'unavailable');
}

function waitBefore(attempt: number, error: unknown): number {
  const told = error instanceof QuarryProblem ? error.retryAfterSeconds : undefined;
  // Half of it at random, so that clients that were refused together do not come again together.
  const backoff = Math.min(500 * 2 ** attempt, 10_000) * (0.5 + Math.random() / 2);
  return told === undefined ? backoff : told * 1_000;
}

/** One request, sent again as long as that can help. @throws QuarryProblem, and what `fetch` throws. */
export async function send(options: SendOptions, url: URL, init: RequestInit): Promise<Sent> {
  const signal = init.signal ?? undefined;
  const isRepeatable =
    !['POST', 'PATCH'].includes(init.method ?? 'GET') || new Headers(init.headers).has('Idempotency-Key');
  for (let attempt = 0; ; attempt++) {
    try {
      return await sendOnce(options, url, init);
    } catch (error) {
      const waitMs = waitBefore(attempt, error);
      const isOver = attempt >= options.retries || waitMs > options.maxRetryWaitMs;
      if (isOver || signal?.aborted || !mayWorkLater(error, isRepeatable)) throw error;
      await sleep(waitMs, signal);
    }
  }
}
